SELECT event_time, auction, price, value
FROM bids JOIN read_csv('side.csv') AS side ON side.number = auction % 100
