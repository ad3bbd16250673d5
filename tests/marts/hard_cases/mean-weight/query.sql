-- Partitions of equal mean weight are entitled to a third each of the shared processors, though one
-- ends its intervals with half the weight.
SELECT DISTINCT system_id, partition_name, processor_msu, entitled_msu, last_weight
FROM marts.fct_lpar_capacity_interval
JOIN (
    SELECT DISTINCT source_id, record_no, smf70bps AS last_weight
    FROM raw.smf70_1_prsm_logical_processor WHERE smf70bps = 200
) USING (source_id, record_no)
WHERE system_id = 'CLS2'
