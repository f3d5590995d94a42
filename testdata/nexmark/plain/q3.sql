SELECT a.event_time, a.id, p.name, p.city, p.state
FROM auctions AS a JOIN persons AS p ON a.seller = p.id
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA')
