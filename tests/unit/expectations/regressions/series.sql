-- more work in nights of one length
UPDATE marts.fct_measurement SET value = 1.47 * value
WHERE metric = 'rate' AND configuration_id = 'c1' AND run_id >= 'c1-030';
INSERT INTO marts.fct_measurement BY NAME
SELECT rate.* REPLACE (
    work.metric AS metric, work.unit AS unit, work.size * value AS value, work.more AS more_is_better
)
FROM marts.fct_measurement AS rate
CROSS JOIN (
    VALUES ('bytes', 'B', 1e7, NULL), ('cpu_seconds', 'CPU s', 0.4, false),
    ('general_purpose_seconds', 'CPU s', 0.3, false),
    ('system_overhead_seconds', 'CPU s', 0.05, false)
) AS work (metric, unit, size, more)
WHERE rate.metric = 'rate' AND configuration_id = 'c1';

-- work that leaves the zIIPs
DELETE FROM marts.fct_measurement WHERE configuration_id = 'c2';
DELETE FROM marts.fct_run WHERE configuration_id = 'c2';
CREATE MACRO spilled(run_id) AS CASE WHEN run_id >= 'c1-030' THEN 0.3 ELSE 0 END;
INSERT INTO marts.fct_measurement BY NAME
SELECT * REPLACE (
    'general_purpose_seconds' AS metric, 'CPU s' AS unit,
    10 * (value - 0.3 + spilled(run_id)) AS value
)
FROM marts.fct_measurement WHERE metric = 'cost_per_GB';
INSERT INTO marts.fct_address_space_measurement BY NAME
SELECT * REPLACE (
    'general_purpose_seconds' AS metric, 'CPU s' AS unit,
    10 * (value - if(address_space = 'AGENT', 0.3 - spilled(run_id), 0)) AS value
)
FROM marts.fct_address_space_measurement WHERE metric = 'cost_per_GB';
INSERT INTO marts.fct_measurement BY NAME
SELECT * REPLACE (
    'bytes' AS metric, 'B' AS unit, NULL AS more_is_better, 10 * 1073741824.0 AS value
)
FROM marts.fct_measurement WHERE metric = 'rate';
INSERT INTO marts.fct_run_part
SELECT origin, configuration_id, run_id, metric, 'zIIP', part, unit,
    if(part = 'on zIIPs', 0.3 - spilled(run_id), spilled(run_id)), is_compared
FROM marts.fct_measurement, (VALUES ('on zIIPs'), ('on CPs, zIIP-eligible')) AS parts (part)
WHERE metric = 'cost_per_GB';
