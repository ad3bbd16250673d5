-- Changes from an older machine depend on other runs, so all are built each time.
with
    measurement as (

        select *
        from {{ ref("fct_measurement") }}
        union all by name
        select *
        from {{ ref("fct_relative_measurement") }}

    )

select
    -- ids
    measurement.origin,
    measurement.source_id,
    measurement.record_no,
    measurement.run_id,
    measurement.campaign,
    measurement.configuration_id,
    measurement.start_utc,
    measurement.metric,
    predicted.document_id,

    -- run and prediction
    measurement.unit,
    measurement.value,
    predicted.predicted,
    predicted.low,
    predicted.high,
    {{ percent("measurement.value - predicted.predicted", "predicted.predicted") }}
    as difference_percent_of_predicted,
    measurement.is_compared,
    measurement.source_ids
from measurement
inner join
    {{ ref("int_runs__predicted") }} as predicted
    on measurement.configuration_id = predicted.configuration_id
    and measurement.metric = predicted.metric
    and measurement.unit = predicted.unit
    and measurement.compared_with_machine is not distinct from predicted.compared_with_machine
