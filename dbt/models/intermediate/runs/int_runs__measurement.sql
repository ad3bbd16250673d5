-- Given values take precedence over values that tools printed.
with
    used as (

        select *
        from {{ ref("int_runs__source_measurement") }}
        qualify rank() over (partition by origin, run_id, metric, address_space order by is_printed) = 1

    )

select
    origin,
    run_id,
    metric,
    address_space,
    case
        when count(distinct unit) <= 1 and count(value) = count(*) then sum(value * readings) / sum(readings)
    end as value,
    min(unit) as unit,
    bool_and(is_unit_known) as is_unit_known,
    bool_or(more_is_better) as more_is_better,
    bool_or(is_printed) as is_printed,
    cast(sum(readings) as bigint) as readings,
    list(value_source order by value_source) as value_sources,
    list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
from used
group by origin, run_id, metric, address_space
