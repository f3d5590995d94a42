SELECT event_time, auction, bidder, price * 0.908 AS euros,
       CASE WHEN strftime(event_time, '%H') BETWEEN '08' AND '18' THEN 'day'
            WHEN strftime(event_time, '%H') IN ('07', '19') THEN 'between'
            ELSE 'night' END AS part,
       len(list_filter(string_split(url, ''), lambda letter: letter = 'c')) AS letters
FROM bids WHERE price > 100000 AND price < 5000000
