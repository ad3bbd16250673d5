-- How did volumes and coupling facility structures respond during the run?
SELECT origin, campaign, run_id, system_id, resource, object_name, part, events_per_second,
       average_us
FROM marts.fct_run_resource
WHERE resource IN ('DASD', 'CF') AND part IN ('response', 'synchronous', 'asynchronous')
ORDER BY origin, campaign, start_utc, busy_seconds DESC
