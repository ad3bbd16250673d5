-- depends_on: {{ ref('int_runs__system') }}, {{ ref('published_metric') }}, {{ ref('run_metric') }}
{%- set last_coverage = adapter.get_relation(this.database, "marts", "fct_run_coverage") -%}
{%- set last_measurements = (
    [
        adapter.get_relation(this.database, "marts", "fct_measurement"),
        adapter.get_relation(this.database, "marts", "fct_address_space_measurement"),
    ]
    | select
    | list
) -%}

-- The runs to rebuild. In a full build, all runs; otherwise those of the rebuilt days, and those
-- whose figures change because of other runs or records.
with
    run_of_day as (

        select origin, run_id
        from {{ ref("int_runs__run") }} as run
        where not exists (from work.meta.build_day) or {{ in_days("run") }}

    ),

    -- An LPAR name in a manifest may now resolve to a different system.
    run_of_changed_system as (

        {% if last_coverage %}
            select
                coalesce(found.origin, before.origin) as origin,
                coalesce(found.run_id, before.run_id) as run_id
            from {{ ref("int_runs__system") }} as found
            full join {{ last_coverage }} as before using (origin, run_id, sysplex, system_id)
            where found.system_id is null or before.system_id is null
        {% else %}select origin, run_id from run_of_day
        {% endif %}

    ),

    -- If a manifest does not say whether more of a custom metric is better, other runs may.
    metric_direction as (

        select metric, bool_or(more_is_better) as more_is_better
        from {{ ref("int_runs__measurement") }}
        group by metric

    ),

    run_of_changed_direction as (

        {% for last_measurement in last_measurements %}
            select given.origin, given.run_id
            from {{ ref("int_runs__measurement") }} as given
            inner join metric_direction on given.metric = metric_direction.metric
            left join {{ ref("published_metric") }} as published on given.metric = published.metric
            inner join
                {{ last_measurement }} as before
                on given.origin = before.origin
                and given.run_id = before.run_id
                and given.metric = before.metric
                and before.is_given
            where
                given.more_is_better is null
                and given.metric not in (select metric from {{ ref("run_metric") }})
                and before.more_is_better
                is distinct from coalesce(metric_direction.more_is_better, published.more_is_better)
                {{ "union all" if not loop.last }}
        {% else %}select origin, run_id from run_of_day
        {% endfor %}

    )

select *
from run_of_day
union
select *
from run_of_changed_system
union
select *
from run_of_changed_direction
