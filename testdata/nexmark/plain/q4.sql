WITH won AS (
  SELECT a.id, a.category, a.event_time, max(b.price) AS price
  FROM auctions AS a JOIN bids AS b ON a.id = b.auction
  WHERE b.event_time BETWEEN a.event_time AND a.expires
  GROUP BY ALL
)
SELECT date_trunc('day', event_time) AS window_start, category, avg(price) AS price
FROM won GROUP BY ALL
