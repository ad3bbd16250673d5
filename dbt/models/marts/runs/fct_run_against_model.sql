{{ config(materialized="incremental", incremental_strategy="by_run") }}

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
    case
        when measurement.value < predicted.low
        then 'below'
        when measurement.value > predicted.high
        then 'above'
        else 'within'
    end as place_in_band,
    measurement.is_compared,
    measurement.source_ids
from {{ runs(ref("fct_measurement")) }} as measurement
inner join {{ ref("int_runs__predicted") }} as predicted using (configuration_id, metric, unit)
