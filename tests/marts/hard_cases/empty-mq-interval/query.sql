-- Statistics of an interval of no length borrow no other's: there are such ones, and they are not
-- counted.
SELECT
    (
        SELECT count(*) FROM marts.fct_queue_manager_interval WHERE queue_manager = 'NOL1'
    ) AS intervals,
    (
        SELECT sum(puts) FROM marts.fct_queue_manager_interval WHERE queue_manager = 'NOL1'
    ) = sum(qmstput) FILTER (qwhsdurn > INTERVAL 0 SECOND) AS puts_are_of_intervals,
    sum(qmstput) FILTER (qwhsdurn = INTERVAL 0 SECOND) > 0 AS others_have_puts
FROM raw.smf115_qmst
JOIN raw.smf115_qwhs USING (source_id, record_no)
JOIN raw.smf115_header USING (source_id, record_no)
WHERE sm115ssi = 'NOL1'
