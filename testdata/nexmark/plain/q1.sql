SELECT event_time, auction, bidder, price * 0.908 AS euros FROM bids
