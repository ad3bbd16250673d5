-- bundled and cases
-- Figures of processors, by IBM's formulas from raw (SMF Explorer publishes them), are what the
-- marts have. They are written as IBM writes them, in milliseconds; docs/cpu-by-hand.md says what
-- differs. IBM writes 0 where a figure has no value.
WITH figures AS (
    SELECT 'mvs_busy_percentage' AS figure, 100 * sum(busy) / sum(unparked) AS ibm,
        any_value(mvs_busy_percent) AS ours
    FROM (
        SELECT source_id, record_no, ['CP', 'zAAP', 'zIIP'][smf70typ + 1] AS processor_type,
            smf70dci AS whole, smf70slh, smf70tpi, epoch(smf70int) AS seconds,
            seconds - epoch(smf70wat) - epoch(smf70pat) AS busy,
            seconds - epoch(smf70pat) AS unparked
        FROM raw.smf70_1_cpu_data JOIN raw.smf70_1_product USING (source_id, record_no)
    )
    JOIN marts.fct_processor_interval USING (source_id, record_no, processor_type)
    GROUP BY source_id, record_no, processor_type
    HAVING bool_and(whole) AND any_value(mvs_busy_percent) IS NOT NULL
    UNION ALL
    SELECT 'cpu_busy_time' AS figure, 100 * sum(busy) / sum(seconds) AS ibm,
        any_value(if(allocated, lpar_busy_percent, NULL)) AS ours
    FROM (
        SELECT source_id, record_no, ['CP', 'zAAP', 'zIIP'][smf70typ + 1] AS processor_type,
            smf70dci AS whole, smf70slh, smf70tpi, epoch(smf70int) AS seconds,
            seconds - epoch(smf70wat) - epoch(smf70pat) AS busy,
            seconds - epoch(smf70pat) AS unparked
        FROM raw.smf70_1_cpu_data JOIN raw.smf70_1_product USING (source_id, record_no)
    )
    JOIN marts.fct_processor_interval USING (source_id, record_no, processor_type)
    GROUP BY source_id, record_no, processor_type
    HAVING bool_and(whole) AND any_value(if(allocated, lpar_busy_percent, NULL)) IS NOT NULL
    UNION ALL
    SELECT 'rate_io_interrupt' AS figure, sum(smf70slh + smf70tpi) / any_value(seconds) AS ibm,
        any_value(io_interrupts_per_second) AS ours
    FROM (
        SELECT source_id, record_no, ['CP', 'zAAP', 'zIIP'][smf70typ + 1] AS processor_type,
            smf70dci AS whole, smf70slh, smf70tpi, epoch(smf70int) AS seconds,
            seconds - epoch(smf70wat) - epoch(smf70pat) AS busy,
            seconds - epoch(smf70pat) AS unparked
        FROM raw.smf70_1_cpu_data JOIN raw.smf70_1_product USING (source_id, record_no)
    )
    JOIN marts.fct_processor_interval USING (source_id, record_no, processor_type)
    GROUP BY source_id, record_no, processor_type
    HAVING bool_and(whole) AND any_value(io_interrupts_per_second) IS NOT NULL
)
SELECT figure, count(*) > 0 AS some, count_if((
    CASE WHEN ours IS NULL THEN ibm IS NULL OR isnan(ibm) OR ibm = 0
    ELSE abs(ours - ibm) <= greatest(1e-6, 1e-6 * abs(ibm)) END
) IS NOT true) AS wrong
FROM figures GROUP BY ALL ORDER BY ALL
