-- Who waits where: barriers, taskwait and taskgroup, locks; per region and thread, the longest first.
SELECT n.name AS region, l.name AS thread, count(*) AS times, sum(r.waiting) AS waiting_ns
FROM regions r
JOIN region_names n ON n.region = r.region
JOIN locations l ON l.location = r.location
WHERE r.waiting > 0
GROUP BY n.name, r.location, l.name
ORDER BY waiting_ns DESC, region, r.location
