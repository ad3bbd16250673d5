SELECT run_id, h.smf30sid, i.smf30jbn,
       sum(epoch(smf30cpt) + epoch(smf30cps) + epoch(smf30iip))
FROM raw.smf30_processor_accounting AS c
JOIN raw.smf30_identification AS i USING (source_id, record_no)
JOIN raw.smf30_header AS h USING (source_id, record_no)
JOIN run ON i.smf30iss = run.start AND i.smf30iet = run.stop GROUP BY ALL
