{{ config(materialized="incremental", incremental_strategy="by_run") }}

{% set summed = cpu_measures()[:5] + ["ziips_needed"] %}
{% set bounds = bounds_to_sum() %}
{% set all_of_it = [
    "not_covered",
    "ambiguous_system",
    "partner_not_loaded",
    "no_type_30",
    "workload_not_found",
] %}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    named as ({{ workload_names(runs(ref("int_runs__run"))) }}),

    part as (

        {% for mart, kind, name, of in [
            ("fct_run_address_space", "address space", "address_space", none),
            ("fct_run_class", "service class", "service_class", "class_kind <> 'uncaptured'"),
            ("fct_run_report_class", "report class", "report_class", none),
        ] %}
            select
                origin,
                run_id,
                '{{ kind }}' as kind,
                {{ name }} as name,
                {% for column in summed + bounds %} {{ column }}, {% endfor %}
                source_ids
            from {{ runs(ref(mart)) }} {{ "where " ~ of if of }} {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    -- A run that names no workload has what usually does the work of MQ and its applications.
    of_workload as (

        select part.*
        from part
        semi join
            named
            on part.origin = named.origin
            and part.run_id = named.run_id
            and part.kind = named.kind
            and part.name glob named.pattern

        union all

        select part.*
        from part
        anti join named using (origin, run_id)
        inner join
            {{ address_space_kinds("(select name as address_space from part where kind = 'address space')") }}
            as role
            on part.name = role.address_space
        where part.kind = 'address space' and role.is_workload

    ),

    workload as (

        select
            origin,
            run_id,
            list(distinct name order by name) as parts,
            {% for column in summed + bounds %}
                {{ known_sum("of_workload." ~ column) }} as {{ column }},
            {% endfor %}
            list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
        from of_workload
        group by origin, run_id

    ),

    known as (

        {% set is_known = "not list_has_any(run.issue_kinds, " ~ all_of_it ~ ")" %}
        select
            workload.origin,
            workload.run_id,
            workload.parts,
            workload.source_ids,
            {% for column in summed[:5] + bounds[:-2] %}
                if({{ is_known }}, workload.{{ column }}, null) as {{ column }},
            {% endfor %}
            {{
                bounded(
                    "if(" ~ is_known ~ ", workload.ziips_needed$ * run.seconds, null)",
                    "eligible_ziip_seconds",
                )
            }}
        from workload
        inner join run using (origin, run_id)

    )

select
    -- ids
    {{ run_columns("run") }},

    -- CPU and costs
    known.parts,
    {{ cpu_columns("known", "run") }},
    known.source_ids
from known
inner join run using (origin, run_id)
