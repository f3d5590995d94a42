SELECT event_time, auction, price FROM bids WHERE auction % 123 = 0
