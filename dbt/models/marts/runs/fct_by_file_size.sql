{#- The tables of rate and cost by file size: one column a size. -#}
{% set sizes = [1, 10, 100, 1024] %}

with measured as (

    select
        measurement.origin,
        measurement.campaign,
        measurement.git_revision,
        measurement.metric,
        measurement.unit,
        measurement.value,
        measurement.run_id,
        measurement.start_utc,
        measurement.source_id,
        measurement.record_no,
        configuration.file_size_mb,
        regexp_replace(
            configuration.configuration,
            format('(, {0} MB)|(^{0} MB, )', configuration.file_size_mb),
            ''
        ) as configuration
    from {{ ref('fct_measurement') }} as measurement
    inner join {{ ref('dim_configuration') }} as configuration using (configuration_id)
    where
        measurement.is_complete
        and measurement.system_id is null
        and measurement.address_space is null
        and measurement.metric in ('rate', 'cost_per_GB', 'cost_per_GB_after_offload', 'ziip_share')
        and configuration.file_size_mb is not null

)

select
    -- ids
    origin,
    arg_min(source_id, start_utc) as source_id,
    arg_min(record_no, start_utc) as record_no,
    campaign,
    git_revision,
    configuration,
    metric,

    -- the mean of the runs of each size
    any_value(unit) as unit,
    {% for size in sizes %}
    avg(value) filter (where file_size_mb = {{ size }}) as size_{{ size }}_mb,
    {% endfor %}
    map_from_entries(
        list(distinct {'key': file_size_mb, 'value': runs})
    ) as runs_by_size
from (
    select
        *,
        count(*) over (
            partition by origin, campaign, git_revision, configuration, metric, file_size_mb
        ) as runs
    from measured
)
group by origin, campaign, git_revision, configuration, metric
