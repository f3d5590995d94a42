SELECT event_time, auction, bidder, channel, parts[4] AS first, parts[5] AS second, parts[6] AS third
FROM (SELECT *, string_split(url, '/') AS parts FROM bids)
