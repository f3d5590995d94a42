SELECT day AS window_start, auction, b.bidder, b.price, place
FROM (
  SELECT date_trunc('day', event_time) AS day, auction,
         list({bidder: bidder, price: price} ORDER BY price DESC, event_time)[:10] AS top
  FROM bids GROUP BY ALL
), LATERAL (SELECT unnest(top) AS b, generate_subscripts(top, 1) AS place)
