-- Who waits where: barriers, taskwait and taskgroup, locks; per region and thread, the longest first.
WITH waited AS (
  SELECT r.region, r.location, count(*) AS times, sum(r.waiting_ns) AS waiting_ns
  FROM regions r
  WHERE r.waiting_ns > 0
  GROUP BY r.region, r.location
)
SELECT n.name AS region, p.name AS process, l.name AS thread, sum(w.times) AS times, sum(w.waiting_ns) AS waiting_ns
FROM waited w
JOIN region_names n ON n.region = w.region
JOIN locations l ON l.location = w.location
JOIN processes p ON p.process = l.process
GROUP BY n.name, w.location, l.name, p.name
ORDER BY waiting_ns DESC, region, w.location
