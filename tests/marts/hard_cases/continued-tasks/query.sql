-- Queues belong to the task whose record was written with theirs. Where some are missing, sums of
-- the task, of its application and of its run are null.
SELECT
    row_number() OVER (ORDER BY interval_start_utc) AS interval, queues, queue_blocks,
    task.messages, task.cpu_seconds IS NULL AS cpu_unknown,
    task.wait_other_seconds IS NULL AS wait_unknown,
    application.messages AS of_application, application.mqi_calls AS calls_of_application,
    resources, events, busy
FROM marts.fct_task_accounting AS task
JOIN marts.fct_application_cost AS application USING (system_id, connection_name)
CROSS JOIN (
    SELECT count(*) AS resources, count(events) AS events, count(busy_seconds) AS busy
    FROM marts.fct_run_resource
    WHERE run_id = 'con-1' AND object_name = 'HARDPUT' AND part = 'put'
)
WHERE system_id = 'CON1' AND connection_name = 'HARDPUT' ORDER BY ALL
