{{ config(materialized='incremental', incremental_strategy='by_run') }}

-- Address spaces use the names that the documents print, with all of a kind added together.
with measurement as (

    select
        measurement.* exclude (repetition, value, address_space, source_ids),
        kind.printed as address_space,
        sum(measurement.value) as value,
        any_value(measurement.source_ids) as source_ids
    from {{ runs(ref('fct_measurement')) }} as measurement
    left join {{ address_space_kinds(runs(ref("fct_measurement"))) }} as kind using (address_space)
    where
        measurement.system_id is null
        and (measurement.address_space is null or kind.printed is not null)
    group by all

),

published as (

    select * from {{ ref('int_runs__published') }}

),

unit as (

    select * from {{ ref('published_unit') }}

),

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
    inner join published
        on
            measurement.configuration_id = published.configuration_id
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
        when more_is_better then value < published_value
        when not more_is_better then value > published_value
    end as is_worse,
    is_complete,
    source_ids
from compared
