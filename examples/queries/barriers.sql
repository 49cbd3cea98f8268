-- The ten barriers that held their threads longest, from the first who came to the last who left, and who came last.
-- A barrier is one of a team: the n-th time that each of its threads was in that region.
WITH passed AS (
  SELECT r.team, r.region, r.location, r.begin_ns AS came, r.end_ns AS went,
         row_number() OVER (PARTITION BY r.team, r.region, r.location ORDER BY r.id) AS nth
  FROM regions r
  JOIN region_names n ON n.region = r.region
  WHERE n.activity = 'barrier' AND n.label NOT LIKE '% wait' AND r.team > 0
),
barriers AS (
  SELECT team, region, nth, count(*) AS threads, min(came) AS first_came, max(came) AS last_came, max(went) AS ended,
         sum(went - came) AS inside_ns, max_by(location, came) AS late
  FROM passed
  GROUP BY team, region, nth
)
SELECT n.name AS barrier, p.name AS process, b.team, b.threads, b.first_came AS begin_ns, b.ended - b.first_came AS length_ns,
       b.last_came - b.first_came AS late_by_ns, l.name AS late, b.inside_ns
FROM barriers b
JOIN region_names n ON n.region = b.region
JOIN locations l ON l.location = b.late
JOIN processes p ON p.process = l.process
ORDER BY length_ns DESC, begin_ns, b.team
LIMIT 10
