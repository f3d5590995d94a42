SELECT max(event_time) AS event_time, bidder, auction, arg_max(price, event_time) AS price, arg_max(channel, event_time) AS channel
FROM bids GROUP BY bidder, auction, date_trunc('day', event_time)
