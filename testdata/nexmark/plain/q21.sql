SELECT event_time, auction, bidder, channel, channel_id
FROM (
  SELECT *, coalesce(nullif(list_position(['Apple', 'Google', 'Facebook', 'Baidu'], channel) - 1, NULL)::VARCHAR,
                     nullif(split_part(url, '&channel_id=', 2), '')) AS channel_id
  FROM bids
)
WHERE channel_id IS NOT NULL
