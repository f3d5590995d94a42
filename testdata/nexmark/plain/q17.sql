SELECT date_trunc('day', event_time) AS window_start, auction, count(*) AS bids, min(price) AS lowest, max(price) AS highest,
       avg(price) AS average, sum(price) AS total
FROM bids GROUP BY ALL
