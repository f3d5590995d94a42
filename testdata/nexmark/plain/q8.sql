SELECT date_trunc('hour', p.event_time) AS window_start, id, name
FROM persons AS p
WHERE EXISTS (FROM auctions AS a WHERE a.seller = p.id AND date_trunc('hour', a.event_time) = date_trunc('hour', p.event_time))
