-- What does each verb of MQ cost, by job?
SELECT origin, campaign, run_id, system_id, object_name AS job, part AS verb, events AS calls,
       average_cpu_us, average_us AS average_elapsed_us, cpu_seconds
FROM marts.fct_run_resource
WHERE resource = 'MQ verb'
ORDER BY origin, campaign, start_utc, cpu_seconds DESC
