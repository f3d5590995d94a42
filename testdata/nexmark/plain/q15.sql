SELECT date_trunc('day', event_time) AS window_start, count(*) AS bids,
       count_if(price < 10000) AS low, count_if(price BETWEEN 10000 AND 999999) AS middle, count_if(price >= 1000000) AS high,
       count(DISTINCT bidder) AS bidders,
       count(DISTINCT CASE WHEN price >= 1000000 THEN bidder END) AS high_bidders,
       count(DISTINCT auction) AS auctions
FROM bids GROUP BY ALL
