-- what is logged
SELECT run_id, sum(qjstciwr) / 2 * 4096, sum(qjstwrf) FROM raw.smf115_qjst
JOIN raw.smf115_qwhs USING (source_id, record_no)
JOIN raw.smf115_header USING (source_id, record_no)
JOIN run ON qwhstime = run.start - INTERVAL 5 HOURS WHERE sm115ssi = 'MQA1' GROUP BY ALL;

-- structure
SELECT run_id, max(r744ssiz) * 4096, max(r744slem), max(r744slel), max(r744scue),
       max(r744smae), sum(r744strc)
FROM raw.smf74_4_request AS r
JOIN raw.smf74_4_product AS p USING (source_id, record_no)
JOIN run ON run.stop = p.smf74iet WHERE r744snam = $1 GROUP BY ALL;

-- statistics of queue managers
SELECT run_id, sum(qmstput), sum(qmstspp) FROM raw.smf115_qmst
JOIN raw.smf115_qwhs USING (source_id, record_no)
JOIN run ON qwhstime = run.start - INTERVAL 5 HOURS GROUP BY ALL;

-- accounting of tasks
SELECT run_id, sum(putn), sum(putpmsg), sum(getn), count(*), sum(putbytes)
FROM raw.smf116_wq JOIN raw.smf116_wtas USING (source_id, record_no)
JOIN run ON wtasints = run.start AND wtasinte = run.stop GROUP BY ALL;

-- harness
SELECT parse_path(path)[-2], iterations, rate_per_second
FROM raw.bench_harness JOIN raw.ledger USING (source_id);

-- processors
SELECT run_id, count(*) FROM raw.smf70_1_cpu_data
JOIN record70_1 USING (source_id, record_no)
WHERE system = 'MVS1' AND smf70typ = 0 GROUP BY ALL;
