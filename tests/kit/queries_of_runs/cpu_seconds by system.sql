SELECT run_id, r.system, sum(epoch(l.smf70edt))
FROM raw.smf70_1_prsm_logical_processor AS l
JOIN record70_1 AS r USING (source_id, record_no)
JOIN raw.smf70_1_prsm_partition AS p USING (source_id, record_no)
WHERE p.smf70lpm = r.system AND l.smf70cix = 1
  AND l.section_no > p.smf70bds AND l.section_no <= p.smf70bds + p.smf70bdn
GROUP BY ALL
