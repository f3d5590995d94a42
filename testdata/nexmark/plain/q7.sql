WITH highest AS (
  SELECT time_bucket(INTERVAL 10 MINUTE, event_time) AS window_start, max(price) AS price FROM bids GROUP BY ALL
)
SELECT window_start, auction, bidder, b.price
FROM bids AS b JOIN highest AS h ON h.price = b.price AND h.window_start = time_bucket(INTERVAL 10 MINUTE, b.event_time)
