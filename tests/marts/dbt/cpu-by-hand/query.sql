-- bundled
-- docs/cpu-by-hand.md: a class's CPU time and the three records of an hour, from raw by hand and in
-- the marts, with the decimals of the page. SY1's partition is the first in its records, with six
-- logical processors. Records of type 30 end within milliseconds of the quarter hour; those of
-- subtype 6 (system address spaces) count since IPL.
WITH control AS (
    -- One record here is split, and its second part has no control section.
    SELECT
        product.source_id, product.record_no, smf72snm = 'SY1'
        AND smf72dat + smf72ist >= TIMESTAMP '2024-02-29 08:30'
        AND smf72dat + smf72ist < TIMESTAMP '2024-02-29 09:30' AS is_meant,
        r723mrcl, r723mcnm, r723madj, r723mcpu, r723msrb, r723nffs
    FROM raw.smf72_3_product AS product
    ASOF JOIN raw.smf72_3_workload_manager_control AS control
        ON product.source_id = control.source_id AND product.record_no >= control.record_no
),
service AS (
    SELECT period.*, control.* EXCLUDE (source_id, record_no),
        r723madj / (1600 * r723mcpu) AS unit, r723madj / (1600 * r723msrb) AS srb_unit,
        r723nffs / 256 AS speed
    FROM raw.smf72_3_service_report_class_period AS period
    JOIN control ON period.source_id = control.source_id AND period.record_no = control.record_no
    WHERE is_meant
),
class AS (
    SELECT
        sum(r723ccpu) AS ccpu, sum(r723csrb) AS csrb, sum(r723csup) AS csup, sum(r723csuc) AS csuc,
        sum(r723crct) AS crct, sum(r723ciit) AS ciit, sum(r723chst) AS chst, sum(r723crcp) AS crcp,
        max(r723madj) AS madj, max(r723mcpu) AS mcpu, max(r723msrb) AS msrb, max(r723nffs) AS nffs,
        sum(r723ccpu * unit) AS cpu, sum(r723csup * unit) AS ziip,
        sum(r723csup * unit * speed) AS equivalent, sum(r723csrb * srb_unit) AS srb,
        sum(r723csuc * unit) AS on_cp, count(DISTINCT record_no) AS records,
        sum((r723ccpu - r723csup * speed) * unit + r723csrb * srb_unit
            + (r723crct + r723ciit + r723chst) / 1e6) AS general
    FROM service WHERE r723mrcl AND r723mcnm = 'RCICS'
),
mart AS (
    SELECT sum(ziip_seconds) AS ziip, sum(ziip_cp_equivalent_seconds) AS equivalent,
        sum(tcb_seconds) AS tcb, sum(srb_seconds) AS srb,
        sum(general_purpose_seconds) AS general, sum(ziip_on_cp_seconds) AS on_cp,
        100 * sum(eligible_seconds) / sum(cpu_seconds) AS eligible,
        1e6 * sum(cpu_seconds) / sum(transactions) AS cost,
        1e6 * sum(general_purpose_seconds) / sum(transactions) AS general_cost
    FROM marts.fct_report_class_interval
    WHERE system_id = 'SY1' AND report_class = 'RCICS'
        AND interval_start_utc >= TIMESTAMP '2024-02-29 13:30'
        AND interval_start_utc < TIMESTAMP '2024-02-29 14:30'
),
reconciled AS (
    SELECT sum(processor_seconds) AS dispatched, sum(class_seconds) AS charged,
        sum(address_space_seconds) AS used
    FROM marts.fct_cpu_reconciliation
    WHERE system_id = 'SY1' AND processor_type = 'CP'
        AND interval_start_utc >= TIMESTAMP '2024-02-29 13:30'
        AND interval_start_utc < TIMESTAMP '2024-02-29 14:30'
),
dispatched AS (
    SELECT sum(epoch(smf70edt)) AS seconds
    FROM raw.smf70_1_prsm_logical_processor AS processor
    JOIN raw.smf70_1_product USING (source_id, record_no)
    WHERE smf70snm = 'SY1' AND smf70cix = 1 AND processor.section_no <= 6
        AND smf70dat + smf70ist >= TIMESTAMP '2024-02-29 08:30'
        AND smf70dat + smf70ist < TIMESTAMP '2024-02-29 09:30'
),
step AS (
    SELECT smf30stp, smf30jbn, smf30iet > TIMESTAMP '2024-02-29 13:30:10' AS is_later,
        epoch(smf30cpt + smf30cps + smf30icu + smf30isb + smf30iip + smf30rct + smf30hpt)
            AS seconds
    FROM raw.smf30_processor_accounting
    JOIN raw.smf30_identification USING (source_id, record_no)
    JOIN raw.smf30_header USING (source_id, record_no)
    WHERE smf30sid = 'SY1' AND smf30iet < TIMESTAMP '2024-02-29 14:30:10'
),
used AS (
    SELECT (
        SELECT sum(seconds) FROM step WHERE smf30stp IN (2, 3) AND is_later
    ) + (
        SELECT sum(growth) FROM (
            SELECT max(seconds) - max(seconds) FILTER (NOT is_later) AS growth
            FROM step WHERE smf30stp = 6 GROUP BY smf30jbn
        )
    ) AS seconds
),
shown AS (
    SELECT name, decimals, by_hand, mart_value
    FROM class, mart, reconciled, dispatched, used, LATERAL (
        VALUES
        ('records', 0, records, NULL),
        ('R723CCPU', 2, ccpu, NULL), ('R723CSRB', 2, csrb, NULL), ('R723CSUP', 2, csup, NULL),
        ('R723CSUC', 2, csuc, NULL), ('R723CRCT', 0, crct, NULL), ('R723CIIT', 0, ciit, NULL),
        ('R723CHST', 0, chst, NULL), ('R723CRCP', 0, crcp, NULL), ('R723MADJ', 0, madj, NULL),
        ('R723MCPU', 0, mcpu, NULL), ('R723MSRB', 0, msrb, NULL), ('R723NFFS', 0, nffs, NULL),
        ('CPU service', 3, cpu, NULL),
        ('zIIP, as measured', 3, class.ziip, mart.ziip),
        ('zIIP, at CP speed', 3, class.equivalent, mart.equivalent),
        ('tasks on CPs', 3, cpu - class.equivalent, tcb), ('SRBs', 3, class.srb, mart.srb),
        ('general-purpose', 3, class.general, mart.general),
        ('zIIP-eligible on CPs', 3, class.on_cp, mart.on_cp),
        ('zIIP-eligible', 3, 100 * (class.equivalent + class.on_cp)
            / (class.general + class.equivalent), eligible),
        ('cost, all CPU', 3, 1e6 * (class.general + class.equivalent) / crcp, cost),
        ('cost, general-purpose', 3, 1e6 * class.general / crcp, general_cost),
        ('70.1', 3, dispatched.seconds, reconciled.dispatched),
        ('72.3', 3, (
            SELECT sum((r723ccpu - r723csup * speed) * unit + r723csrb * srb_unit
                + (r723crct + r723ciit + r723chst) / 1e6)
            FROM service WHERE NOT r723mrcl
        ), charged),
        ('30', 2, used.seconds, used),
        ('% is charged', 2, 100 * charged / dispatched, NULL),
        ('more', 3, used - charged, NULL)
    ) AS of_page(name, decimals, by_hand, mart_value)
)
SELECT name, format('{:,.' || decimals || 'f}', by_hand) AS by_hand,
    format('{:,.' || decimals || 'f}', mart_value) AS mart
FROM shown
