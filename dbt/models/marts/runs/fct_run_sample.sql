-- Each figure that a tool printed while a run was measured. Most displays have no time, so `sample`
-- counts those of a file in the order in which they were printed.
select
    -- ids
    reading.origin,
    reading.source_id,
    reading.record_no,
    output.path,

    -- run
    run.campaign,
    reading.run_id,

    -- sample
    reading.metric,
    row_number() over (
        partition by reading.run_id, reading.source_id, reading.metric order by reading.record_no
    ) as sample,
    reading.time_utc,
    reading.value,
    reading.unit
from {{ ref("int_runs__reading") }} as reading
inner join {{ ref("int_runs__output") }} as output using (source_id)
inner join {{ ref("int_runs__run") }} as run on reading.origin = run.origin and reading.run_id = run.run_id
where reading.is_printed
