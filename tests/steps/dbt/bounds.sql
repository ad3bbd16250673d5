-- What 160 systems did, in slices of 15 s, and the records of it: intervals of 20 lengths, which begin at
-- 8 phases before a run of half an hour. Types 30, 115 and 116 have intervals of their own lengths.
CREATE MACRO draw(a, b, c) AS (hash(a, b, c) % 10000) / 10000.0;
CREATE MACRO moment(slice) AS TIMESTAMP '2026-01-01 12:00:00' + slice * INTERVAL 15 SECONDS;
CREATE MACRO run_slices() AS 120;

CREATE TABLE system AS
SELECT s, 'S' || s AS system_id, 'r' || s AS run_id, s % 3 AS pattern FROM range(160) AS _ (s);

CREATE TABLE span AS
SELECT *, length * (s * (2 * k + 1) % 8) // 8 AS phase
FROM (
    SELECT s, kind, k, [2, 4, 5, 8, 10, 12, 15, 20, 24, 30, 40, 50, 60, 75, 80, 100, 120, 160, 240, 480][
        1 + (s // 8 + 7 * k) % 20
    ] AS length
    FROM system, (VALUES ('rmf', 0), ('smf30', 1), ('mq', 2)) AS _ (kind, k)
);

-- Runs of whole intervals.
CREATE TABLE whole AS
SELECT s FROM span GROUP BY s HAVING bool_and(phase = 0 AND run_slices() % length = 0);

-- Idle around the run, busy now and then, or idle in the run.
CREATE TABLE slice AS
SELECT s, i, i >= 0 AND i < run_slices() AS in_run,
    CASE pattern WHEN 0 THEN in_run::INT WHEN 1 THEN (draw(s, i, 'busy') > 0.5)::INT
        ELSE (NOT in_run)::INT END * draw(s, i, 'level') AS level,
    30 * level AS agent_cp, agent_cp * draw(s, i, 'spill') / 3 AS agent_on_cp, 20 * level AS agent_ziip,
    3 * draw(s, i, 'batch') AS batch_cp, draw(s, i, 'system') AS system_cp,
    draw(s, i, 'uncaptured') AS uncaptured_cp,
    agent_cp + batch_cp + system_cp + uncaptured_cp AS cp,
    floor(1 + 100 * level) AS events, events * (1 + draw(s, i, 'time')) / 1000 AS seconds,
    events * (1 + draw(s, i, 'cpu')) / 10000 AS verb_seconds,
    events * floor(1000 * (1 + draw(s, i, 'bytes'))) AS bytes,
    bytes * draw(s, i, 'compression') AS compressed,
    floor(10 * draw(s, i, 'channels')) AS channels,
    if(level > 0.3, events, 0) AS second_events, if(level > 0.3, bytes, 0) AS second_bytes,
    1e6 * (1 + 10 * level) AS instructions, instructions * (1 + draw(s, i, 'cpi')) AS cycles,
    instructions * draw(s, i, 'misses') / 50 AS misses, misses * draw(s, i, 'rni') AS nest
FROM system, range(-480, run_slices() + 480) AS _ (i);

-- Sums of a kind's intervals, and what they show at their ends.
CREATE TABLE interval AS
SELECT s, kind, 'S' || s AS system_id, 'simulated' AS origin, 'PLEX' AS sysplex,
    floor((i + phase) / length) AS number, 'x' AS source_id, s * 10000 + number + 5000 AS record_no,
    moment(number * length - phase) AS interval_start_utc, moment((number + 1) * length - phase) AS interval_end_utc,
    15.0 * any_value(length) AS interval_seconds,
    sum(COLUMNS(* EXCLUDE (s, i, kind, k, length, phase, in_run, channels))),
    max(channels) AS most_channels, arg_max(channels, i) AS channels, avg(channels) AS mean_channels
FROM slice JOIN span USING (s)
GROUP BY s, kind, number, phase, length
HAVING interval_start_utc < moment(run_slices()) AND interval_end_utc > moment(0);

INSERT INTO intermediate.int_runs__run BY NAME
SELECT 'simulated' AS origin, run_id, moment(0) AS start_utc, moment(run_slices()) AS stop_utc, 1800 AS seconds,
    ['service class WORK'] AS workload
FROM system WHERE s % 4 = 0;
INSERT INTO intermediate.int_runs__run BY NAME
SELECT 'simulated' AS origin, run_id, moment(0) AS start_utc, moment(run_slices()) AS stop_utc, 1800 AS seconds,
    CAST([] AS VARCHAR[]) AS workload
FROM system WHERE s % 4 <> 0;
INSERT INTO intermediate.int_runs__system BY NAME
SELECT 'simulated' AS origin, run_id, 'PLEX' AS sysplex, system_id, system_id AS system,
    true AS is_only_one_of_its_name, moment(0) AS start_utc, moment(run_slices()) AS stop_utc, 1800 AS seconds
FROM system;
INSERT INTO marts.fct_run BY NAME
SELECT 'simulated' AS origin, 'x' AS source_id, s AS record_no, run_id, 'c' AS campaign,
    'k' || s // 2 AS configuration_id, 'build ' || s % 2 AS git_revision,
    moment(0) + s % 2 * INTERVAL 1 DAY AS start_utc, 1800 AS seconds, 1800 AS work_seconds,
    1800 AS transfer_seconds, 3221225472 AS bytes, 5000 AS transactions, CAST([] AS VARCHAR[]) AS issues,
    CAST([] AS VARCHAR[]) AS issue_kinds, true AS is_complete, true AS is_compared
FROM system;
INSERT INTO marts.dim_configuration BY NAME
SELECT 'k' || k AS configuration_id, 'f' || k // 2 AS factors_id, ['z15', 'z16'][1 + k % 2] AS machine
FROM range(80) AS _ (k);
INSERT INTO intermediate.int_runs__configuration BY NAME
SELECT COLUMNS('^(configuration_id|factors_id|machine)$') FROM marts.dim_configuration;

INSERT INTO intermediate.int_zos_cpu__interval BY NAME
SELECT COLUMNS('^(origin|sysplex|system_id|source_id|record_no|interval_.*)$')
FROM interval WHERE kind = 'rmf';
INSERT INTO intermediate.int_zos_cpu__processor_total BY NAME
SELECT source_id, record_no, type AS processor_type, online * interval_seconds AS online_seconds,
    false AS multithreaded, 1.5 AS cp_factor, if(type = 'CP', cp, agent_ziip) AS used_seconds
FROM interval, (VALUES ('CP', 4), ('zIIP', 2)) AS _ (type, online) WHERE kind = 'rmf';
INSERT INTO marts.fct_processor_interval BY NAME
SELECT origin, sysplex, system_id, interval_start_utc, interval_end_utc, type AS processor_type,
    1.5 AS cp_factor, if(type = 'CP', cp, agent_ziip) AS used_seconds,
    mean_channels AS processors_online
FROM interval, (VALUES ('CP'), ('zIIP')) AS _ (type) WHERE kind = 'rmf';
INSERT INTO marts.fct_service_class_period_interval BY NAME
SELECT origin, sysplex, system_id, source_id, interval_start_utc, class AS service_class, 1 AS period, goal AS goal_type,
    CASE class WHEN 'WORK' THEN agent_cp WHEN 'BATCH' THEN batch_cp ELSE system_cp END AS general_purpose_seconds,
    if(class = 'WORK', agent_ziip, 0) AS ziip_seconds,
    1.5 * if(class = 'WORK', agent_ziip, 0) AS ziip_cp_equivalent_seconds,
    if(class = 'WORK', agent_on_cp, 0) AS ziip_on_cp_seconds, 1.5 AS ziip_factor
FROM interval, (VALUES ('WORK', 'velocity'), ('BATCH', 'velocity'), ('SYSTEM', 'system')) AS _ (class, goal)
WHERE kind = 'rmf';
INSERT INTO marts.fct_report_class_interval BY NAME
SELECT origin, sysplex, system_id, source_id, interval_start_utc, 'RWORK' AS report_class,
    agent_cp AS general_purpose_seconds, agent_ziip AS ziip_seconds,
    1.5 * agent_ziip AS ziip_cp_equivalent_seconds, agent_on_cp AS ziip_on_cp_seconds, 1.5 AS ziip_factor
FROM interval WHERE kind = 'rmf';
INSERT INTO intermediate.int_zos_cpu__address_space BY NAME
SELECT space.origin, space.sysplex, space.system_id, space.source_id, space.record_no, job_name,
    space.interval_start_utc, space.interval_end_utc, space.interval_seconds, true AS usable,
    rmf.interval_start_utc AS rmf_interval_start_utc, rmf.interval_end_utc AS rmf_interval_end_utc,
    coalesce(space.interval_end_utc <= rmf.interval_end_utc, false) AS aligned, false AS stops_early,
    if(job_name = 'QM1MSTR', space.agent_cp, space.batch_cp) AS general_purpose_seconds,
    if(job_name = 'QM1MSTR', space.agent_ziip, 0) AS ziip_seconds,
    1.5 * if(job_name = 'QM1MSTR', space.agent_ziip, 0) AS ziip_cp_equivalent_seconds,
    if(job_name = 'QM1MSTR', space.agent_on_cp, 0) AS ziip_on_cp_seconds, 1.5 AS ziip_factor,
    4 AS cps_online, 2 AS ziips_online
FROM interval AS space
CROSS JOIN (VALUES ('QM1MSTR'), ('BATCH1')) AS _ (job_name)
LEFT JOIN interval AS rmf ON rmf.kind = 'rmf' AND rmf.s = space.s
    AND space.interval_start_utc >= rmf.interval_start_utc AND space.interval_start_utc < rmf.interval_end_utc
WHERE space.kind = 'smf30';

INSERT INTO marts.fct_volume_interval BY NAME
SELECT origin, sysplex, system_id, source_id, interval_start_utc, interval_end_utc, 'VOL1' AS volume,
    events AS requests, 1e6 * seconds / events AS average_response_us,
    average_response_us / 2 AS average_connect_us, average_response_us / 2 AS average_disconnect_us,
    0 AS average_ios_queue_us, 0 AS average_pending_us
FROM interval WHERE kind = 'rmf';
INSERT INTO marts.fct_cf_request_interval BY NAME
SELECT origin, sysplex, system_id, source_id, interval_start_utc, interval_end_utc, 'APP1' AS structure_name,
    'synchronous' AS request_kind, false AS is_included, events AS requests,
    1e6 * seconds / events AS average_service_us
FROM interval WHERE kind = 'rmf';
INSERT INTO marts.fct_cf_structure_use_interval BY NAME
SELECT origin, sysplex, system_id, interval_start_utc, interval_end_utc, 'QSG1CSQ_ADMIN' AS structure_name,
    channels AS size_mb
FROM interval WHERE kind = 'rmf';
INSERT INTO marts.fct_crypto_operation_interval BY NAME
SELECT origin, sysplex, system_id, source_id, interval_start_utc, interval_end_utc, card_kind, 1 AS card_number,
    scope, if(scope = 'the system', 1, null) AS domain, 'all' AS operation, false AS is_included,
    events AS operations, seconds AS execution_seconds
FROM interval, (VALUES ('CCA coprocessor'), ('accelerator')) AS _ (card_kind),
    (VALUES ('the machine'), ('the system')) AS _ (scope)
WHERE kind = 'rmf';
INSERT INTO marts.fct_hardware_interval BY NAME
SELECT origin, system_id, source_id, interval_start_utc, interval_end_utc, interval_seconds, instructions,
    cycles, 100 * misses / instructions AS l1_miss_percent, nest / misses AS rni, true AS rni_verified
FROM interval WHERE kind = 'rmf';
INSERT INTO marts.fct_lpar_capacity_interval BY NAME
SELECT origin, sysplex, system_id, interval_start_utc, interval_end_utc, cp AS used_seconds,
    2e4 * cp AS service_units
FROM interval WHERE kind = 'rmf';
INSERT INTO staging.stg_lake__price BY NAME
SELECT 'EUR' AS currency, DATE '2026-01-01' AS valid_from, '' AS machine, 5 AS msu_hour, 0.1 AS cp_second,
    0.5 AS network_gb;

INSERT INTO marts.fct_log_write_interval BY NAME
SELECT origin, system_id, source_id, 'QM1' AS queue_manager, interval_start_utc, interval_end_utc,
    1 AS log_copy, events AS writes, bytes AS bytes_written, 1e6 * seconds / events AS average_write_us
FROM interval WHERE kind = 'mq';
INSERT INTO marts.fct_task_accounting BY NAME
SELECT origin, system_id, source_id, 'QM1' AS queue_manager, 'JOB1' AS connection_name, interval_start_utc,
    interval_end_utc, 1 AS queues, 1 AS queue_blocks, events AS messages, seconds AS wait_log_seconds,
    events AS put_count, seconds AS put_elapsed_seconds, verb_seconds AS put_cpu_seconds,
    events AS get_count, seconds AS get_elapsed_seconds, verb_seconds AS get_cpu_seconds
FROM interval WHERE kind = 'mq';
INSERT INTO marts.fct_channel_interval BY NAME
SELECT origin, system_id, source_id, 'QM1' AS queue_manager, 'SDR' AS channel_type, channel AS channel_name,
    interval_start_utc, interval_end_utc, if(channel = 'C1', events, second_events) AS messages,
    if(channel = 'C1', events, 0) AS batches, if(channel = 'C1', bytes, second_bytes) AS bytes,
    if(channel = 'C1', bytes, second_bytes) AS bytes_sent, 0 AS bytes_received,
    if(channel = 'C1', 100 * compressed / bytes, 0) AS compression_percent, 1e6 * seconds / events AS nettime_average_us
FROM interval, (VALUES ('C1'), ('C2')) AS _ (channel)
WHERE kind = 'mq' AND (channel = 'C1' OR second_events > 0);
INSERT INTO marts.fct_channel_initiator_interval BY NAME
SELECT origin, system_id, interval_start_utc, interval_end_utc, channels AS current_channels,
    most_channels AS max_current_channels, channels AS storage_used_mb,
    1048576 * channels AS storage_used_64bit
FROM interval WHERE kind = 'mq';
INSERT INTO marts.fct_queue_manager_interval BY NAME
SELECT origin, system_id, interval_start_utc, interval_end_utc, 1048576 * channels AS storage_available_31bit
FROM interval WHERE kind = 'mq';
INSERT INTO marts.fct_buffer_pool_interval BY NAME
SELECT origin, system_id, interval_start_utc, interval_end_utc, 256 * channels AS buffers
FROM interval WHERE kind = 'mq';

-- What is right: sums of the run's slices, and what was shown while it ran.
CREATE TABLE done AS
SELECT s, sum(COLUMNS(* EXCLUDE (s, i, in_run, channels))), max(channels) AS most_channels
FROM slice WHERE in_run GROUP BY s;
CREATE TABLE ends AS
SELECT s, kind, max(channels) AS most, min(channels) AS least
FROM interval WHERE interval_end_utc > moment(0) AND interval_end_utc <= moment(run_slices()) GROUP BY ALL;
CREATE TABLE online AS
SELECT s, max(mean) AS most, min(mean) AS least
FROM (SELECT s, avg(channels) AS mean FROM slice JOIN span USING (s)
    WHERE in_run AND kind = 'rmf' GROUP BY s, (i + phase) // length)
GROUP BY s;

CREATE TABLE part AS
SELECT s, part, general AS cp, ziip, on_cp, general + 1.5 * ziip AS cpu, 1.5 * ziip + on_cp AS eligible
FROM done, LATERAL (VALUES
    ('', cp, agent_ziip, agent_on_cp),
    ('WORK', agent_cp, agent_ziip, agent_on_cp), ('BATCH', batch_cp, 0, 0), ('SYSTEM', system_cp, 0, 0),
    ('uncaptured', uncaptured_cp, 0, 0)
) AS _ (part, general, ziip, on_cp);

CREATE TABLE truth AS
UNPIVOT (
    SELECT s, part, cpu AS cpu_seconds, cp AS general_purpose_seconds, eligible AS ziip_eligible_seconds,
        cpu / 3 AS cost_per_GB, (cpu - eligible) / 3 AS cost_per_GB_after_offload,
        cpu * 200 AS cost_per_transaction, (cpu - eligible) * 200 AS cost_per_transaction_after_offload,
        100 * eligible / nullif(cpu, 0) AS ziip_share, (ziip + on_cp / 1.5) / 1800 AS ziips_needed
    FROM part
) ON COLUMNS(* EXCLUDE (s, part)) INTO NAME metric VALUE value
UNION ALL BY NAME
UNPIVOT (
    SELECT s, '' AS part, cpu AS workload_seconds, cpu - eligible AS workload_seconds_after_offload,
        cpu / 3 AS cost_per_GB_of_workload, (cpu - eligible) / 3 AS cost_per_GB_of_workload_after_offload,
        cpu * 200 AS cost_per_transaction_of_workload,
        (cpu - eligible) * 200 AS cost_per_transaction_of_workload_after_offload
    FROM part WHERE part = 'WORK'
) ON COLUMNS(* EXCLUDE (s, part)) INTO NAME metric VALUE value
UNION ALL BY NAME
UNPIVOT (
    SELECT done.s, '' AS part, system_cp + uncaptured_cp AS system_overhead_seconds,
        1e6 * seconds / events AS dasd_response_time, dasd_response_time AS cf_service_time,
        dasd_response_time AS log_write_latency, dasd_response_time / 1000 AS "NETTIME",
        dasd_response_time AS elapsed_per_get, 1e6 * verb_seconds / events AS cpu_per_get,
        cpu_per_get AS cpu_per_put, bytes AS log_physical_bytes, bytes / 1800 AS log_physical_rate,
        bytes / 1800 / 1048576 AS log_copy_rate, 100 * compressed / bytes AS compression,
        (bytes + second_bytes) / (events + second_events) AS channel_bytes_per_message,
        1 + (second_events > 0)::INT AS channels_used, done.most_channels AS channels_most,
        events AS coprocessor_operations, events AS accelerator_operations, 2 * events AS crypto_operations,
        mq.most AS channels_current, mq.most AS channel_initiator_storage,
        mq.most AS channel_initiator_storage_64bit, mq.most AS buffer_pool_size,
        mq.least AS queue_manager_storage_available, rmf.most AS admin_structure_size,
        online.most AS processors_most, online.least AS processors_least,
        0.2 * cp + 0.5 * (bytes + second_bytes) / 1073741824 AS cost_money,
        instructions, cycles / instructions AS cpi, instructions / 1e6 / 1800 AS mips,
        100 * misses / instructions AS l1_miss_percent, nest / misses AS rni
    FROM done JOIN online USING (s)
    LEFT JOIN ends AS mq ON mq.s = done.s AND mq.kind = 'mq'
    LEFT JOIN ends AS rmf ON rmf.s = done.s AND rmf.kind = 'rmf'
) ON COLUMNS(* EXCLUDE (s, part)) INTO NAME metric VALUE value
UNION ALL BY NAME
SELECT s, '' AS part, metric, value
FROM system, (VALUES ('rate', 3 * 1024 / 1800), ('transfer_time', 1800), ('bytes', 3221225472),
    ('transactions', 5000), ('transactions_per_second', 5000 / 1800)) AS _ (metric, value)
UNION ALL BY NAME
SELECT s, split || ': ' || name AS part, 'cost_per_GB' AS metric, cpu / 3 AS value
FROM part JOIN (VALUES
    ('WORK', 'address space', 'QM1MSTR'), ('BATCH', 'address space', 'BATCH1'), ('WORK', 'class', 'WORK'),
    ('BATCH', 'class', 'BATCH'), ('SYSTEM', 'class', 'SYSTEM'), ('uncaptured', 'class', 'uncaptured')
) AS _ (part, split, name) USING (part)
UNION ALL BY NAME
SELECT s, 'zIIP: ' || name AS part, 'cost_per_GB' AS metric, seconds / 3 AS value FROM part, LATERAL (VALUES
    ('on CPs, for CPs alone', cp - on_cp), ('on CPs, zIIP-eligible', on_cp), ('on zIIPs', 1.5 * ziip)
) AS _ (name, seconds)
WHERE part = ''
UNION ALL BY NAME
SELECT s, split || ': ' || name AS part, 'cost_per_GB' AS metric, used / 3 AS value
FROM (SELECT s, cp + 1.5 * agent_ziip AS cpu, * FROM done), LATERAL (VALUES
    ('address space', 'not charged to address spaces', system_cp + uncaptured_cp), ('system', 'S' || s, cpu),
    ('verb', 'MQ put', verb_seconds), ('verb', 'MQ get', verb_seconds),
    ('verb', 'not in verbs of MQ', cpu - 2 * verb_seconds)
) AS _ (split, name, used)
UNION ALL BY NAME
SELECT s, 'wait: ' || name AS part, 'seconds_per_GB' AS metric, waited / 3 AS value FROM done, LATERAL (VALUES
    ('MQ log', seconds), ('CF', seconds), ('network', seconds), ('DASD connect', seconds / 2),
    ('DASD disconnect', seconds / 2), ('DASD ios queue', 0), ('DASD pending', 0),
    ('not waiting for these', 1800 - 4 * seconds)
) AS _ (name, waited);
INSERT INTO truth
SELECT s, part, replace(metric, '_GB', '_transaction') AS metric, value * 3 / 5000 * 1e6 AS value
FROM truth WHERE contains(part, ': ');
