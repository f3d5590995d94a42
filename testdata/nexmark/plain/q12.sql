SELECT time_bucket(INTERVAL 10 MINUTE, event_time) AS window_start, bidder, count(*) AS bids FROM bids GROUP BY ALL
