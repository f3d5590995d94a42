WITH marked AS (
  SELECT *, coalesce(event_time - lag(event_time) OVER one >= INTERVAL 5 MINUTE, true) AS begins
  FROM bids WINDOW one AS (PARTITION BY bidder ORDER BY event_time)
), runs AS (
  SELECT *, count(*) FILTER (begins) OVER (PARTITION BY bidder ORDER BY event_time) AS run FROM marked
), lengths AS (
  SELECT *, max(event_time) OVER (PARTITION BY bidder, run) - min(event_time) OVER (PARTITION BY bidder, run) > INTERVAL 1 HOUR AS long
  FROM runs
)
SELECT min(event_time) AS window_start, max(event_time) + INTERVAL 5 MINUTE AS window_end, bidder, count(*) AS bids
FROM lengths
GROUP BY bidder, run, CASE WHEN long THEN epoch_us(event_time) // 3600000000 END
