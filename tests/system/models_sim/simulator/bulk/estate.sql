-- days
SELECT system_id, parse_filename(parse_dirpath(path)),
    date_diff('hour', min(smf_time), max(smf_time))
FROM raw.smf_record JOIN raw.ledger USING (source_id) GROUP BY ALL ORDER BY ALL;

-- what grows
SELECT count(*), count_if(cpu < before), count_if(blocks < blocks_before),
    (SELECT count(DISTINCT smf70_ipl_time) FROM raw.smf70_1_cpu_control)
FROM (
    SELECT smf30cpt AS cpu, lag(cpu) OVER job AS before, smf30tep AS blocks,
        lag(blocks) OVER job AS blocks_before
    FROM raw.smf30_header JOIN raw.smf30_identification USING (source_id, record_no)
    JOIN raw.smf30_processor_accounting USING (source_id, record_no)
    JOIN raw.smf30_io_activity USING (source_id, record_no) WHERE smf30stp = 6
    WINDOW job AS (PARTITION BY smf30jbn, smf30asi ORDER BY smf30iet)
);
