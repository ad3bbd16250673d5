-- Means of complete runs with the same factors and MQ level on two machines, and the published
-- improvement between these machines if the number of CPUs and the relative nest intensity are
-- known.
--
-- The seed of machines decides which of two machines is newer, by generation, name or type. If it
-- does not list a machine, the one whose runs started first is the older.
with machine_order as (

    select
        name,
        min(order_no) as order_no
    from (
        select
            unnest([generation, replace(machine_name, 'IBM ', ''), machine_type]) as name,
            order_no
        from {{ ref('hardware_machine') }}
    )
    group by name

),

measured as (

    select
        measurement.origin,
        configuration.factors_id,
        configuration.machine,
        configuration.mq_level,
        any_value(measurement.configuration_id) as configuration_id,
        any_value(configuration.cpus) as cpus,
        any_value(configuration.rni) as rni,
        measurement.metric,
        any_value(measurement.unit) as unit,
        any_value(measurement.more_is_better) as more_is_better,
        avg(measurement.value) as value,
        count(*) as runs,
        min(measurement.start_utc) as first_start_utc,
        arg_min(measurement.source_id, measurement.start_utc) as source_id,
        arg_min(measurement.record_no, measurement.start_utc) as record_no
    from {{ ref('fct_measurement') }} as measurement
    inner join {{ ref('dim_configuration') }} as configuration using (configuration_id)
    where
        measurement.is_compared
        and measurement.more_is_better is not null
        and configuration.machine is not null
    group by
        measurement.origin, configuration.factors_id, configuration.machine,
        configuration.mq_level, measurement.metric

),

ordered as (

    select
        measured.*,
        machine_order.order_no
    from measured
    -- The machine type may be followed by a model, for example 8561-7J1.
    left join machine_order
        on regexp_replace(measured.machine, '^IBM |-.*$', '', 'g') = machine_order.name

),

expected as (

    select
        machine,
        compared_with_machine,
        cpus,
        relative_nest_intensity as rni,
        avg(value) as expected_percent
    from {{ ref('int_published__cell') }}
    where metric = 'expected_improvement'
    group by all

)

select
    -- ids
    newer.origin,
    newer.source_id,
    newer.record_no,
    newer.factors_id,
    newer.mq_level,
    older.machine as machine_before,
    newer.machine as machine_after,
    older.configuration_id as configuration_id_before,
    newer.configuration_id as configuration_id_after,
    newer.metric,

    -- change
    newer.unit,
    older.runs as runs_before,
    newer.runs as runs_after,
    older.value as value_before,
    newer.value as value_after,
    {{ percent("newer.value - older.value", "older.value") }} as change_percent_of_before,
    case
        when newer.more_is_better then {{ percent("newer.value - older.value", "older.value") }}
        else {{ percent("older.value - newer.value", "newer.value") }}
    end as improvement_percent_of_before,
    expected.expected_percent as expected_improvement_percent_of_before
from ordered as newer
inner join ordered as older
    on
        newer.origin = older.origin
        and newer.factors_id = older.factors_id
        and newer.mq_level is not distinct from older.mq_level
        and newer.metric = older.metric
        and newer.unit = older.unit
        and newer.machine <> older.machine
        and coalesce(
            nullif(sign(newer.order_no - older.order_no), 0),
            nullif(sign(epoch(newer.first_start_utc - older.first_start_utc)), 0),
            if(newer.machine > older.machine, 1, -1)
        ) > 0
left join expected
    on
        newer.machine = expected.machine
        and older.machine = expected.compared_with_machine
        and newer.cpus = expected.cpus
        and newer.rni = expected.rni
