SELECT a.event_time, a.id, a.category, a.seller, w.bidder, w.price, w.event_time AS bid_at
FROM auctions AS a, LATERAL (
  SELECT bidder, price, event_time FROM bids AS b
  WHERE b.auction = a.id AND b.event_time BETWEEN a.event_time AND a.expires
  ORDER BY price DESC, event_time LIMIT 1
) AS w
