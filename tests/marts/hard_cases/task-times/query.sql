-- A time of a task below zero is null with a reason, and so are sums with it; where its interval ends
-- before it starts, runs that may have some of its work show nothing of it as known.
SELECT
    put.run_id, task.interval_seconds IS NULL AS has_no_interval, task.put_count,
    task.cpu_seconds, task.put_cpu_seconds, task.commit_cpu_seconds, task.elapsed_seconds,
    task.time_issue, put.events AS puts_of_run, put.cpu_seconds AS put_cpu_of_run,
    put.busy_seconds AS put_seconds_of_run,
    (
        SELECT value FROM marts.fct_measurement AS run
        WHERE run.run_id = put.run_id AND metric = 'cpu_per_put'
    ) AS cpu_per_put,
    application.cpu_seconds AS cpu_of_application,
    (
        SELECT string_agg(kind, ' ') FROM marts.fct_data_issue AS issue
        WHERE issue.source_id = task.source_id AND issue.record_no = task.record_no
    ) AS issues
FROM marts.fct_task_accounting AS task
JOIN marts.fct_application_cost AS application USING (system_id, connection_name)
JOIN marts.fct_run_resource AS put
    ON put.campaign = 'task-times' AND object_name = connection_name AND part = 'put'
    AND task.recorded_at_utc::TIMESTAMP_S = put.start_utc + INTERVAL 5 MINUTE
WHERE connection_name = 'HARDPUT' AND task.system_id = 'TSK1'
ORDER BY ALL
