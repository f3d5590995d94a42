WITH starts AS (
  SELECT unnest(generate_series(TIMESTAMPTZ '2026-02-28 00:00:00+00', TIMESTAMPTZ '2026-03-05 00:00:00+00', INTERVAL 10 MINUTE)) AS window_start
), counts AS (
  SELECT window_start, auction, count(*) AS bids
  FROM starts JOIN bids ON event_time >= window_start AND event_time < window_start + INTERVAL 1 HOUR
  GROUP BY ALL
)
SELECT c.window_start, auction, bids
FROM counts AS c JOIN (SELECT window_start, max(bids) AS most FROM counts GROUP BY ALL) AS m USING (window_start)
WHERE bids = most
