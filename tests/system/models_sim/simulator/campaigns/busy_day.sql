-- dispatched time
WITH record AS (
    SELECT p.smf70snm AS system, p.smf70dat + p.smf70ist AS start,
           sum(epoch(l.smf70edt)) AS seconds
    FROM raw.smf70_1_product AS p
    JOIN raw.smf70_1_prsm_partition AS n USING (source_id, record_no)
    JOIN raw.smf70_1_prsm_logical_processor AS l USING (source_id, record_no)
    WHERE n.smf70lpm = p.smf70snm AND l.smf70cix = 1
      AND l.section_no > n.smf70bds AND l.section_no <= n.smf70bds + n.smf70bdn
    GROUP BY ALL
)
SELECT record.seconds, r.effective_dispatch_seconds
FROM raw.rmf_partition AS r
JOIN record ON r.system_id = record.system AND r.interval_start_local = record.start
WHERE r.name = r.mvs_partition_name AND r.processor_type = 'CP';

-- puts by hour
SELECT sm115ssi, sm115sid, hour(qwhstime), count(*), sum(qmstput)
FROM raw.smf115_qmst JOIN raw.smf115_qwhs USING (source_id, record_no)
JOIN raw.smf115_header USING (source_id, record_no) GROUP BY ALL;
