-- Tasks by the place that made them: how many, how long they ran, how long they waited for a thread, and how many of them
-- ran at once on average in each tenth of the time from the first task to the last.
WITH bounds AS (
  SELECT min(t.started_ns) AS first, max(t.completed_ns) - min(t.started_ns) AS length FROM tasks t WHERE t.started_ns >= 0
),
tenths AS (
  SELECT b.first + b.length * i.n / 10.0 AS lower, b.first + b.length * (i.n + 1) / 10.0 AS upper, i.n
  FROM bounds b CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS i(n)
),
running AS (  -- a task that was suspended counts by the share of the time that it ran
  SELECT t.region, i.n,
         sum((least(t.completed_ns, i.upper) - greatest(t.started_ns, i.lower)) / (i.upper - i.lower)
             * t.active_ns / (t.completed_ns - t.started_ns)) AS at_once
  FROM tasks t
  JOIN tenths i ON t.started_ns < i.upper AND t.completed_ns > i.lower
  WHERE t.started_ns >= 0 AND t.completed_ns > t.started_ns
  GROUP BY t.region, i.n
),
parallelism AS (
  SELECT region,
         max(CASE WHEN n = 0 THEN at_once ELSE 0 END) AS p0, max(CASE WHEN n = 1 THEN at_once ELSE 0 END) AS p1,
         max(CASE WHEN n = 2 THEN at_once ELSE 0 END) AS p2, max(CASE WHEN n = 3 THEN at_once ELSE 0 END) AS p3,
         max(CASE WHEN n = 4 THEN at_once ELSE 0 END) AS p4, max(CASE WHEN n = 5 THEN at_once ELSE 0 END) AS p5,
         max(CASE WHEN n = 6 THEN at_once ELSE 0 END) AS p6, max(CASE WHEN n = 7 THEN at_once ELSE 0 END) AS p7,
         max(CASE WHEN n = 8 THEN at_once ELSE 0 END) AS p8, max(CASE WHEN n = 9 THEN at_once ELSE 0 END) AS p9
  FROM running
  GROUP BY region
),
sums AS (
  SELECT t.region, count(*) AS tasks, sum(t.active_ns) AS ran_ns, max(t.active_ns) AS longest_ns, min(t.active_ns) AS shortest_ns,
         sum(t.started_ns - t.created_ns) AS delay_ns
  FROM tasks t
  WHERE t.started_ns >= 0
  GROUP BY t.region
)
SELECT n.name AS task, s.tasks, s.ran_ns, s.longest_ns, s.shortest_ns, s.delay_ns,
       round(p0, 1) AS p0, round(p1, 1) AS p1, round(p2, 1) AS p2, round(p3, 1) AS p3, round(p4, 1) AS p4,
       round(p5, 1) AS p5, round(p6, 1) AS p6, round(p7, 1) AS p7, round(p8, 1) AS p8, round(p9, 1) AS p9
FROM sums s
LEFT JOIN parallelism p ON p.region = s.region
LEFT JOIN region_names n ON n.region = s.region
ORDER BY s.ran_ns DESC, n.name
