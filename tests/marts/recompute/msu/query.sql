-- bundled and cases
-- MSU of partitions, by IBM's formulas from raw (SMF Explorer publishes them), are what the marts
-- have. They are written as IBM writes them, in milliseconds; docs/cpu-by-hand.md says what
-- differs. IBM writes 0 where a figure has no value. Ours are of whole service units: of a minute,
-- one is 6e-5 MSU.
WITH logical AS (
    SELECT source_id, record_no, partition.smf70lpm AS partition_name, partition.smf70lpn,
        trim(kind.smf70cin) AS kind, epoch(smf70int) * 1000 AS ms,
        1000 * epoch(smf70pdt) AS pdt, 1000 * epoch(smf70edt) AS edt, 1000 * epoch(smf70ont) AS ont,
        smf70bps, smf70acs, smf70lpn = smf70ptn AS own, smf70wsa OR smf70bps = 65535 AS keeps,
        CASE WHEN smf70cpa_actual <> 0 THEN smf70cpa_actual ELSE smf70cpa END AS adjustment,
        CASE WHEN smf70cpa_actual <> 0 THEN smf70cpa_scaling_factor ELSE 1 END AS scaling,
        smf70cf, smf70mcf
    FROM raw.smf70_1_prsm_logical_processor AS processor
    JOIN raw.smf70_1_prsm_partition AS partition USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_identification AS kind USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_control USING (source_id, record_no)
    JOIN raw.smf70_1_product USING (source_id, record_no)
    WHERE processor.section_no BETWEEN smf70bds + 1 AND smf70bds + smf70bdn
        AND smf70cix = kind.section_no
),
figures AS (
    SELECT 'msu_effective' AS figure,
        sum(1000 * edt * 16 * scaling / adjustment) * 3.6 / any_value(ms) AS ibm,
        any_value(consumed_msu) AS ours
    FROM logical JOIN marts.fct_lpar_capacity_interval
        USING (source_id, record_no, partition_name)
    WHERE partition_number = smf70lpn AND kind = 'CP' AND consumed_msu IS NOT NULL
    GROUP BY source_id, record_no, partition_name, smf70lpn HAVING NOT bool_or(keeps)
)
SELECT figure, count(*) > 0 AS some, count_if((
    CASE WHEN ours IS NULL THEN ibm IS NULL OR isnan(ibm) OR ibm = 0
    ELSE abs(ours - ibm) <= greatest(6e-5, 1e-6 * abs(ibm)) END
) IS NOT true) AS wrong
FROM figures GROUP BY ALL ORDER BY ALL
