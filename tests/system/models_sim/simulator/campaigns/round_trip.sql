-- time of classes
SELECT run_id, r.system,
       sum(((c.r723ccpu / w.r723mcpu) + (c.r723csrb / w.r723msrb)) * w.r723madj / 1600)
       + sum(c.r723ciit) / 1e6
FROM raw.smf72_3_service_report_class_period AS c
JOIN raw.smf72_3_workload_manager_control AS w USING (source_id, record_no)
JOIN record72_3 AS r USING (source_id, record_no) WHERE NOT w.r723mrcl GROUP BY ALL;

-- bytes of an agent
SELECT run_id, sum({bytes_of}) FROM raw.smf116_wq
JOIN raw.smf116_wtid USING (source_id, record_no)
JOIN raw.smf116_wtas USING (source_id, record_no)
JOIN run ON wtasints = run.start AND wtasinte = run.stop
WHERE wtidccn = $1 AND objname NOT SIMILAR TO 'SYSTEM.FTE.(REPLY|STATE).*'
GROUP BY ALL;

-- records of a queue manager
SELECT count(*), count(DISTINCT (sm{kind}ssi, sm{kind}stf, qwhsstck)),
       count(DISTINCT (sm{kind}ssi, qwhswseq))
FROM raw.smf{kind}_qwhs JOIN raw.smf{kind}_header USING (source_id, record_no);

-- busiest volume
SELECT max((epoch(smf74cnn) + epoch(smf74dis)) / epoch(smf74int))
FROM raw.smf74_1_device_data JOIN raw.smf74_1_product USING (source_id, record_no);

-- dedicated processors
SELECT source_id, record_no, sum(epoch(smf70int) - epoch(smf70wat) - epoch(smf70pat))
FROM raw.smf70_1_cpu_data JOIN raw.smf70_1_product USING (source_id, record_no)
WHERE smf70sta GROUP BY ALL ORDER BY ALL;

-- dispatched time
SELECT l.source_id, l.record_no, sum(epoch(smf70edt)), bool_and(smf70bps = 65535)
FROM raw.smf70_1_prsm_logical_processor AS l
JOIN raw.smf70_1_prsm_partition AS p ON l.source_id = p.source_id
    AND l.record_no = p.record_no AND l.section_no > smf70bds
    AND l.section_no <= smf70bds + smf70bdn
JOIN raw.smf70_1_product AS r ON l.source_id = r.source_id AND l.record_no = r.record_no
WHERE smf70lpn = smf70ptn GROUP BY ALL ORDER BY ALL;
