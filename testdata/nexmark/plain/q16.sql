SELECT date_trunc('day', event_time) AS window_start, channel, strftime(max(event_time), '%H:%M') AS minute, count(*) AS bids,
       count_if(price >= 1000000) AS high, count(DISTINCT bidder) AS bidders, count(DISTINCT auction) AS auctions
FROM bids GROUP BY ALL
