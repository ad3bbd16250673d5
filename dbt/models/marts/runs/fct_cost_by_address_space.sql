-- Cost by address space, before and after zIIP offload: means over runs, and published figures.
{% set costs = [
    "cost_per_GB",
    "cost_per_GB_after_offload",
    "cost_per_transaction_us",
    "cost_per_transaction_after_offload_us",
] %}

{% set measures = ["cpu_seconds", "eligible_seconds"] + costs %}

-- Address spaces with the same name on several systems count as one; time of none completes the total.
with
    part as (

        {% for mart, address_space, kinds in [
            ("fct_run_address_space", "address_space", none),
            ("fct_run_class", "'not captured'", "class_kind = 'uncaptured'"),
            ("fct_run_total", "'total'", none),
            ("fct_run_workload", "'workload'", none),
        ] %}
            select
                origin,
                run_id,
                {{ address_space }} as address_space,
                any_value(source_id) as source_id,
                any_value(record_no) as record_no,
                any_value(campaign) as campaign,
                any_value(configuration_id) as configuration_id,
                any_value(start_utc) as start_utc,
                {% for measure in measures %}
                    {{ known_sum(measure) }} as {{ measure }}{{ "," if not loop.last }}
                {% endfor %}
            from {{ ref(mart) }}
            where is_compared{{ " and " ~ kinds if kinds }}
            group by all {{ "union all" if not loop.last }}

        {% endfor %}
    ),

    run as (select origin, run_id, git_revision from {{ ref("fct_run") }}),

    measured as (

        select
            part.origin,
            {{ first_record(["part.start_utc"], of="part") }},
            part.campaign,
            run.git_revision,
            part.configuration_id,
            part.address_space,
            count(*) as runs,
            avg(part.cpu_seconds) as cpu_seconds,
            avg(part.eligible_seconds) as eligible_seconds,
            {{ percent("sum(part.eligible_seconds)", "sum(part.cpu_seconds)") }} as ziip_share_percent,
            {% for cost in costs %} avg(part.{{ cost }}) as {{ cost }}{{ "," if not loop.last }} {% endfor %}
        from part
        inner join run using (origin, run_id)
        group by part.origin, part.campaign, run.git_revision, part.configuration_id, part.address_space

    ),

    figure as (

        select *, {{ configuration_text() }} as configuration
        from {{ ref("fct_figure") }}
        where
            origin = 'published' and metric in ('cost_per_transaction', 'cost_per_transaction_after_offload')

    ),

    -- Only published tables that break cost down by address space.
    printed as (

        select
            origin,
            {{ first_record(["order_no"]) }},
            document_id,
            section,
            configuration,
            coalesce(figure.address_space, 'total') as address_space,
            avg(value) filter (where metric = 'cost_per_transaction') as cost_per_transaction_us,
            avg(value) filter (
                where metric = 'cost_per_transaction_after_offload'
            ) as cost_per_transaction_after_offload_us
        from figure
        group by origin, document_id, section, configuration, figure.address_space
        qualify count(figure.address_space) over (partition by document_id, section) > 0

    ),

    combined as (

        select measured.*, configuration.configuration
        from measured
        inner join {{ ref("dim_configuration") }} as configuration using (configuration_id)

        union all by name

        select
            *,
            {{
                percent(
                    "cost_per_transaction_us - cost_per_transaction_after_offload_us",
                    "cost_per_transaction_us",
                )
            }} as ziip_share_percent
        from printed

    )

select
    -- ids
    combined.origin,
    combined.source_id,
    combined.record_no,
    combined.campaign,
    combined.document_id,
    combined.section,
    combined.git_revision,
    combined.configuration_id,
    combined.configuration,
    combined.address_space,
    coalesce(kind.kind, 'other') as kind,

    -- means over runs
    combined.runs,
    combined.cpu_seconds,
    combined.eligible_seconds,
    combined.ziip_share_percent,
    {% for cost in costs %} combined.{{ cost }}{{ "," if not loop.last }} {% endfor %}
from combined
left join {{ address_space_kinds("combined") }} as kind using (address_space)
