-- Address spaces use the names that the documents print, with all of a kind added together.
with
    measurement as (

        select *
        from {{ ref("fct_measurement") }}

        union all by name

        select *
        from {{ ref("fct_relative_measurement") }}

        union all by name

        select
            measured.origin,
            measured.source_id,
            measured.record_no,
            measured.run_id,
            measured.campaign,
            measured.configuration_id,
            measured.start_utc,
            measured.metric,
            measured.unit,
            measured.more_is_better,
            kind.printed as address_space,
            sum(measured.value) as value,
            bool_and(measured.is_compared) as is_compared,
            any_value(measured.source_ids) as source_ids
        from {{ ref("fct_address_space_measurement") }} as measured
        inner join
            {{ address_space_kinds(ref("fct_address_space_measurement")) }} as kind using (address_space)
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
            published.printed,
            published.table_id,
            published.agreeing as factors_agreeing,
            published.assumed,
            published.standard_value / unit.factor as published_value,
            published.standard_low / unit.factor as published_low,
            published.standard_high / unit.factor as published_high,
            -- Within a printed range, a figure is the printed one.
            if(
                published.standard_low is null,
                published_value,
                greatest(least(measurement.value, published_high), published_low)
            ) as nearest
        from measurement
        inner join unit using (unit)
        inner join
            published
            on measurement.configuration_id = published.configuration_id
            and measurement.metric = published.metric
            and measurement.address_space is not distinct from published.address_space
            and measurement.compared_with_machine is not distinct from published.compared_with_machine
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
    assumed,

    -- run and published figure
    unit,
    value,
    printed,
    published_value,
    published_low,
    published_high,
    value - nearest as difference,
    {{ percent("value - nearest", "abs(nearest)") }} as difference_percent_of_published,
    is_compared,
    source_ids
from compared
