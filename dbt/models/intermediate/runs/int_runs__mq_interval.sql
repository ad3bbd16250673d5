{{ config(materialized="incremental", incremental_strategy="by_run") }}

-- How much of each run lies in intervals of MQ that it covers in part.
with
    interval as (

        {% for about, mart in [
            ("statistics", "fct_queue_manager_interval"),
            ("accounting", "fct_task_accounting"),
        ] %}
            select distinct
                origin,
                run_id,
                sysplex,
                system_id,
                queue_manager,
                '{{ about }}' as about,
                interval_start_utc,
                interval_seconds,
                share,
                covered_seconds
            from {{ intervals_of_runs(ref(mart), names_sysplex=false) }} {{ "union all" if not loop.last }}
        {% endfor %}

    )

select
    origin,
    run_id,
    sysplex,
    system_id,
    queue_manager,
    about,
    sum(covered_seconds) as covered_seconds,
    coalesce(sum(covered_seconds) filter (where share < 1), 0) as seconds_in_parts,
    count(*) as intervals,
    count(*) filter (where share < 1) as parts,
    min(share) as least_share,
    max(interval_seconds) filter (where share < 1) as longest_seconds
from interval
group by all
