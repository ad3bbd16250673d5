-- Runs of a few configurations and campaigns, with their figures: what two sides are compared in.
CREATE SCHEMA marts;
CREATE TABLE marts.dim_configuration (
    configuration_id VARCHAR, configuration VARCHAR, origin VARCHAR, machine VARCHAR, mq_level
    VARCHAR, source VARCHAR, network VARCHAR, file_size_mb DOUBLE, x_factors MAP(VARCHAR, VARCHAR),
    factors_id VARCHAR);
CREATE TABLE marts.fct_run (origin VARCHAR, run_id VARCHAR, campaign VARCHAR, git_revision
    VARCHAR, configuration_id VARCHAR, mq_level VARCHAR, machine VARCHAR, start_utc TIMESTAMP,
    is_compared BOOLEAN);
CREATE TABLE marts.fct_address_space_measurement (origin VARCHAR, run_id VARCHAR, campaign
    VARCHAR, configuration_id VARCHAR, start_utc TIMESTAMP, git_revision VARCHAR, metric VARCHAR,
    value DOUBLE, value_low DOUBLE, value_high DOUBLE, unit VARCHAR, more_is_better BOOLEAN,
    is_compared BOOLEAN, address_space VARCHAR);
CREATE TABLE marts.fct_measurement AS SELECT * EXCLUDE (address_space), '' AS value_source FROM
    marts.fct_address_space_measurement;
CREATE TABLE marts.fct_system_measurement AS SELECT *, '' AS system FROM marts.fct_measurement;
CREATE TABLE marts.dim_metric AS SELECT * FROM (VALUES ('rate', true), ('cost_per_GB', false))
    m(metric, more_is_better);
CREATE TABLE marts.fct_run_against_published (origin VARCHAR, run_id VARCHAR, configuration_id
    VARCHAR, metric VARCHAR, address_space VARCHAR, cell_id BIGINT, document_id VARCHAR, table_id
    VARCHAR, assumed VARCHAR[], unit VARCHAR, value DOUBLE, printed VARCHAR, published_value DOUBLE,
    published_low DOUBLE, published_high DOUBLE, is_compared BOOLEAN);
CREATE TABLE marts.fct_published_match AS SELECT 'a1' AS configuration_id, '004' AS document_id,
    'peak' AS table_id, 3 AS factors_agreeing, false AS is_match,
    ['syncpoint is not stated, and the figures are of N'] AS obstacles;
CREATE TABLE marts.fct_run_against_model (origin VARCHAR, run_id VARCHAR, configuration_id
    VARCHAR, metric VARCHAR, document_id VARCHAR, unit VARCHAR, value DOUBLE, predicted DOUBLE, low
    DOUBLE, high DOUBLE, is_compared BOOLEAN);
CREATE TABLE marts.fct_published_measurement (cell_id BIGINT, document_id VARCHAR, table_id
    VARCHAR, configuration_id VARCHAR, configuration_label VARCHAR, more_is_better BOOLEAN, value
    DOUBLE, printed VARCHAR);
INSERT INTO marts.fct_published_measurement VALUES (1, '000', 'C-rate', 'p1', 'xLinux to z/OS',
    true, 100, '100'), (9, '000', 'C-rate', 'p9', 'USS to USS', true, 1, '1'), (2, '001', 'D-rate', 'p2', 'zCX',
    true, 250, '250');

INSERT INTO marts.dim_configuration
SELECT id, name, 'measured', machine, mq_level, source, network, size, own, name
FROM (
    SELECT *, concat_ws(', ', coalesce(source, 'None'), network, size || ' MB', machine) AS name
    FROM (VALUES
        ('a1', 'xLinux', '1Gb', 10, 'z15', '9.2', MAP {}),
        ('a2', 'xLinux', '1Gb', 100, 'z15', '9.2', MAP {}),
        ('a3', 'xLinux', '10Gb', 10, 'z15', '9.2', MAP {}),
        ('b1', 'xLinux', '1Gb', 10, 'z16', '9.2', MAP {}),
        ('b2', 'xLinux', '1Gb', 100, 'z16', '9.2', MAP {}),
        ('o1', NULL, '1Gb', 10, 'z15', '9.2', MAP {'x_mode': 'fast'}),
        ('o2', NULL, '1Gb', 10, 'z15', '9.2', MAP {'x_mode': 'slow, but safe'})
    ) AS given(id, source, network, size, machine, mq_level, own)
);

-- Rates and costs by repetition.
CREATE TEMP TABLE made AS
SELECT *, campaign || '-' || n || '-' || unnest(range(len(rates))) AS run_id, unnest(rates) AS rate,
    unnest(costs) AS cost
FROM (VALUES
    (0, 'may', 'build1', 'a1', 'measured', true, [100, 101, 99, 100.5], [10, 10.1, 9.9, 10]),
    (1, 'may', 'build1', 'a2', 'measured', true, [200, 202, 198, 201], [8, 8.1, 7.9, 8]),
    (2, 'may', 'build1', 'a3', 'measured', true, [300, 303, 297, 301], [9, 9.1, 8.9, 9]),
    (3, 'june', 'build2', 'a1', 'measured', true, [100.2, 100.9, 99.2, 100.6], [12, 12.1, 11.9, 12]),
    (4, 'june', 'build2', 'a2', 'measured', true, [220, 222, 218, 221], [8, 8.05, 7.95, 8]),
    (5, 'june', 'build2', 'a2', 'measured', false, [1], [99]),
    (6, 'few', 'build3', 'a1', 'measured', true, [90], [11]),
    (7, 'z16', 'build2', 'b1', 'measured', true, [130, 131, 129, 130.5], [8, 8.1, 7.9, 8]),
    (8, 'z16', 'build2', 'b2', 'measured', true, [260, 262, 258, 261], [7, 7.1, 6.9, 7]),
    (9, 'made', 'build9', 'a1', 'simulated', true, [100, 101, 99, 100], [10, 10.1, 9.9, 10]),
    (10, 'may', 'build9', 'a1', 'simulated', true, [100, 101, 99, 100], [10, 10.1, 9.9, 10]),
    (11, 'june, "again"', 'build10', 'a1', 'measured', true, [50, 51, 49, 50], [10, 10.1, 9.9, 10]),
    (12, 'july', 'build11', 'a1', 'measured', true, [50, 51, 49, 50], [10, 10.1, 9.9, 10]),
    (13, 'own', 'build12', 'o1', 'measured', true, [10, 10.1, 9.9], [1, 1.01, 0.99]),
    (14, 'own', 'build12', 'o2', 'measured', true, [20, 20.1, 19.9], [1, 1.01, 0.99])
) AS given(n, campaign, build, id, origin, is_compared, rates, costs);

INSERT INTO marts.fct_run
SELECT made.origin, run_id, campaign, build, id, '9.2', machine,
    TIMESTAMP '2026-01-01' + to_days(n), is_compared
FROM made JOIN marts.dim_configuration ON id = configuration_id;
INSERT INTO marts.fct_measurement BY NAME
SELECT origin, run_id, is_compared, metric, value, unit, more_is_better,
    if(campaign = 'z16' AND metric = 'rate', 'perf_harness', 'derived') AS value_source
FROM made, LATERAL (VALUES
    ('rate', rate, 'MB/s', true), ('cost_per_GB', cost, 'CPU seconds/GB', false),
    ('files', 4, 'files', NULL)
) AS of_run(metric, value, unit, more_is_better);
INSERT INTO marts.fct_address_space_measurement BY NAME
SELECT origin, run_id, is_compared, 'cost_per_GB' AS metric, 'AGNT1' AS address_space,
    cost / 2 AS value, 'CPU seconds/GB' AS unit, false AS more_is_better
FROM made;

-- Of the runs of a configuration: the published figure, the model's, and its band.
CREATE TEMP TABLE figure AS
SELECT run.origin, run.run_id, run.is_compared, unit, given.metric, measured.value,
    given.* EXCLUDE (metric)
FROM (VALUES
    (1, 'a1', 'rate', '000', 'C-rate', 100.0, 101.0, 95.0, 105.0),
    (2, 'a1', 'cost_per_GB', '000', 'C-cost', 5.0, NULL, NULL, NULL),
    (3, 'a2', 'rate', '001', 'D-rate', 250.0, 240.0, 230.0, 250.0)
) AS given(
    cell_id, configuration_id, metric, document_id, table_id, published_value, predicted, low, high
)
JOIN marts.fct_run AS run USING (configuration_id)
JOIN marts.fct_measurement AS measured
    ON measured.run_id = run.run_id AND measured.origin = run.origin
    AND measured.metric = given.metric;
INSERT INTO marts.fct_run_against_published BY NAME
SELECT * EXCLUDE (predicted, low, high), ['tls=N'] AS assumed, printf('%g', published_value) AS printed
FROM figure;
INSERT INTO marts.fct_run_against_model BY NAME
SELECT * EXCLUDE (cell_id, table_id, published_value) FROM figure WHERE predicted IS NOT NULL;
