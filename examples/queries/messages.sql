-- Messages by pair of processes: how many, how many bytes, and how long they were under way.
SELECT s.process AS sender, r.process AS receiver, count(*) AS messages, sum(m.bytes) AS bytes,
       min(m.to_ns - m.from_ns) AS fastest_ns, max(m.to_ns - m.from_ns) AS slowest_ns
FROM messages m
JOIN locations s ON s.location = m.from_location
JOIN locations r ON r.location = m.to_location
GROUP BY s.process, r.process
ORDER BY bytes DESC, sender, receiver
