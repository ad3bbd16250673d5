{{ config(materialized="incremental", incremental_strategy="by_run") }}

-- Address spaces use the names that the documents print, with all of a kind added together.
{% set columns = [
    "origin",
    "source_id",
    "record_no",
    "run_id",
    "campaign",
    "configuration_id",
    "start_utc",
    "metric",
    "unit",
    "more_is_better",
    "is_compared",
] %}

with
    measurement as (

        select {{ columns | join(", ") }}, cast(null as varchar) as address_space, value, source_ids
        from {{ runs(ref("fct_measurement")) }}

        union all

        select
            {% for column in columns %} measured.{{ column }}, {% endfor %}
            kind.printed as address_space,
            sum(measured.value) as value,
            any_value(measured.source_ids) as source_ids
        from {{ runs(ref("fct_address_space_measurement")) }} as measured
        inner join
            {{ address_space_kinds(runs(ref("fct_address_space_measurement"))) }} as kind using (
                address_space
            )
        where kind.printed is not null
        group by all

    ),

    published as (select * from {{ ref("int_runs__published") }}),

    unit as (select * from {{ ref("run_unit") }}),

    compared as (

        select
            measurement.*,
            published.cell_id,
            published.document_id,
            published.table_id,
            published.agreeing as factors_agreeing,
            published.standard_value / unit.factor as published_value
        from measurement
        inner join unit using (unit)
        inner join
            published
            on measurement.configuration_id = published.configuration_id
            and measurement.metric = published.metric
            and measurement.address_space is not distinct from published.address_space
            and unit.standard_unit = published.standard_unit

    )

select
    -- ids
    origin,
    source_id,
    record_no,
    run_id,
    campaign,
    configuration_id,
    start_utc,
    metric,
    address_space,
    cell_id,
    document_id,
    table_id,
    factors_agreeing,

    -- run and published figure
    unit,
    value,
    published_value,
    value - published_value as difference,
    {{ percent("value - published_value", "published_value") }} as difference_percent_of_published,
    case
        when more_is_better then value < published_value when not more_is_better then value > published_value
    end as is_worse,
    is_compared,
    source_ids
from compared
