with
    output as (select * from {{ ref("int_runs__output") }}),

    reading as (

        select
            source_id,
            min(record_no) as record_no,
            count(distinct(record_no, metric)) as figures,
            count(distinct(record_no, metric)) filter (where run_id is not null) as figures_of_runs,
            list(distinct run_id order by run_id) filter (where run_id is not null) as run_ids,
            list(distinct metric order by metric) as metrics
        from {{ ref("int_runs__reading") }}
        where is_printed
        group by source_id

    )

select
    -- ids
    output.origin,
    output.source_id,
    reading.record_no,
    output.path,

    -- runs
    coalesce(reading.run_ids, []) as run_ids,
    case
        when output.told_by is not null
        then output.told_by
        when reading.figures_of_runs > 0
        then 'time'
        else 'nothing'
    end as told_by,

    -- content
    reading.metrics,
    reading.figures,
    reading.figures_of_runs
from output
inner join reading using (source_id)
