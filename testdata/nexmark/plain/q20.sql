SELECT b.event_time, b.auction, b.bidder, b.price, a.item, a.seller, a.reserve
FROM bids AS b JOIN auctions AS a ON b.auction = a.id
WHERE a.category = 10
