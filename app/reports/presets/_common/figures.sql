-- One row per configuration and metric that is compared: the median of its complete runs, their
-- spread, and the figure that was published for the most alike configuration.
with figure as (
    select
        configuration_id,
        metric,
        any_value(unit) as unit,
        any_value(more_is_better) as more_is_better,
        median(value) as value,
        min(value) as low,
        max(value) as high,
        count(*) as runs,
        list(value::double order by start_utc, fct_measurement.run_id) as "values",
        stddev_samp(value) / nullif(avg(value), 0) * 100 as deviation_percent,
        median(cost_money) * if(any_value(unit) = 'CPU us', 1e6, 1) as money,
        any_value(price.currency) || if(any_value(unit) = 'CPU us', ' per million', ' per GB')
            as money_unit
    from marts.fct_measurement
    left join (select origin, run_id, currency from marts.fct_run_price) as price
        using (origin, run_id)
    where campaign = $campaign and origin = $origin and is_compared and isfinite(value)
    group by configuration_id, metric
),

printed as (
    select
        configuration_id,
        metric,
        arg_max(published_value, factors_agreeing) as published,
        arg_max(document_id, factors_agreeing) as document_id,
        arg_max(table_id, factors_agreeing) as table_id
    from marts.fct_run_against_published
    where campaign = $campaign and origin = $origin and address_space is null
    group by configuration_id, metric
),

model as (
    select
        configuration_id,
        metric,
        median(predicted) as predicted,
        median(low) as predicted_low,
        median(high) as predicted_high
    from marts.fct_run_against_model
    where campaign = $campaign and origin = $origin and is_compared
    group by configuration_id, metric
)

select
    figure.*,
    model.predicted,
    model.predicted_low,
    model.predicted_high,
    printed.published,
    printed.document_id,
    printed.table_id,
    100 * (figure.value / nullif(printed.published, 0) - 1) as from_published_percent,
    factor.* exclude (configuration_id, factors_id, origin, source_id, record_no, runs, origins),
    coalesce(factor.persistent, '') as persistent,
    cast(factor.clients as double) as clients,
    coalesce(factor.x_factors['x_tiers'], '') as tiers,
    coalesce(factor.transaction, '') as workload,
    coalesce(factor.path, '') as path,
    coalesce(cast(factor.ziips as varchar), '') as ziips,
    coalesce(factor.key_interval, '') as new_keys,
    coalesce(factor.x_factors['x_messages'], '') as messages
from figure
join marts.dim_configuration as factor using (configuration_id)
left join printed using (configuration_id, metric)
left join model using (configuration_id, metric)
where
    -- without work for zIIPs, it is the cost itself
    not ends_with(figure.metric, '_after_offload')
    or exists (select 1 from figure where metric = 'ziip_share' and value > 0)
order by
    factor.source, factor.target, factor.target_storage, factor.network, factor.mode,
    factor.connection, factor.protocol, factor.machine, factor.message_size_bytes,
    factor.latency_ms_oneway, factor.loss_pct, factor.file_size_mb, factor.cpus,
    -- numbers in names as people count
    list_transform(
        regexp_extract_all(factor.configuration, '\d+|\D+'),
        lambda part: if(regexp_full_match(part, '\d+'), lpad(part, 18, '0'), part)
    ),
    figure.metric
