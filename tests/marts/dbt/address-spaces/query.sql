-- bundled
-- Address spaces use the simulated CPU time. Type 30 counts six kinds in hundredths of a second;
-- only records of RMF can be marked as skipped, so none is left out.
WITH made AS (
    SELECT system, "end", job, cpu, ziip_us / 1e6 AS ziip, ziip_on_cp_us / 1e6 AS on_cp
    FROM done_address_space
),
found AS (
    SELECT system_id AS system, interval_end_utc AS "end", job_name AS job,
        general_purpose_seconds AS cpu, ziip_seconds AS ziip, ziip_on_cp_seconds AS on_cp
    FROM marts.fct_address_space_interval
    WHERE sysplex = 'PLEX1' AND interval_start_utc IS NOT NULL
),
checked AS (
    SELECT concat_ws(' ', system, job, "end") AS key, (
        abs(made.cpu - found.cpu) <= 0.12
        AND abs(made.ziip - found.ziip) <= 0.12
        AND abs(made.on_cp - found.on_cp) <= 0.12
    ) IS NOT true AS is_wrong
    FROM made FULL JOIN found USING (system, job, "end")
)
SELECT count(*) AS rows, count_if(is_wrong) AS wrong, any_value(key) FILTER (is_wrong) AS example
FROM checked
