-- Means of complete runs with the same factors and MQ level on two machines, and the published
-- improvement between these machines for work like that on the older one. How many CPs it had and
-- how it used the caches is declared (the factors cpus and rni), or else in type 70 and 113.
--
-- The seed of machines decides which of two machines is newer, by generation, name or type. If it
-- does not list a machine, the one whose runs started first is the older.
with
    machine_order as (

        select name, min(order_no) as order_no, min(generation) as generation
        from
            (
                select
                    unnest([generation, replace(machine_name, 'IBM ', ''), machine_type]) as name,
                    order_no,
                    generation
                from {{ ref("hardware_machine") }}
            )
        group by name

    ),

    -- The system that executed the most instructions stands for the run.
    hardware as (

        select
            origin,
            configuration_id,
            arg_max(generation, (instructions, run_id, sysplex, system_id)) as generation,
            arg_max(cps_online, (instructions, run_id, sysplex, system_id)) as cps_online,
            arg_max(rni_class, (instructions, run_id, sysplex, system_id)) as rni_class
        from {{ ref("fct_run_hardware") }}
        where is_compared and instructions is not null
        group by origin, configuration_id

    ),

    measured as (

        select
            measurement.origin,
            configuration.factors_id,
            configuration.machine,
            configuration.mq_level,
            any_value(measurement.configuration_id) as configuration_id,
            any_value(coalesce(configuration.cpus, hardware.cps_online)) as cps,
            any_value(coalesce(configuration.rni, hardware.rni_class)) as rni_class,
            any_value(hardware.generation) as generation,
            measurement.metric,
            any_value(measurement.unit) as unit,
            any_value(measurement.more_is_better) as more_is_better,
            {{ bounded("avg(measurement.value$)", "value") }},
            list(measurement.value order by measurement.run_id) as
        values
            ,
            count(*) as runs,
            min(measurement.start_utc) as first_start_utc,
            {{ first_record(["measurement.start_utc"], of="measurement") }}
        from {{ ref("fct_measurement") }} as measurement
        inner join {{ ref("dim_configuration") }} as configuration using (configuration_id)
        left join
            hardware
            on measurement.origin = hardware.origin
            and measurement.configuration_id = hardware.configuration_id
        where
            measurement.is_compared
            and measurement.more_is_better is not null
            and configuration.machine is not null
        group by
            measurement.origin,
            configuration.factors_id,
            configuration.machine,
            configuration.mq_level,
            measurement.metric

    ),

    ordered as (

        select
            measured.* exclude (generation),
            machine_order.order_no,
            coalesce(machine_order.generation, measured.generation) as generation
        from measured
        -- The machine type may be followed by a model, for example 8561-7J1.
        left join
            machine_order on regexp_replace(measured.machine, '^IBM |-.*$', '', 'g') = machine_order.name

    ),

    expected as (

        select
            machine,
            compared_with_machine,
            cpus,
            relative_nest_intensity as rni_class,
            avg(value) as expected_percent
        from {{ ref("int_published__cell") }}
        where metric = 'expected_improvement'
        group by all

    ),

    pair as (

        select
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
            newer.unit,
            older.runs as runs_before,
            newer.runs as runs_after,
            older.values as values_before,
            newer.values as values_after,
            {{ bounded("older.value$", "value_before") }},
            {{ bounded("newer.value$", "value_after") }},
            {{ percent("newer.value - older.value", "older.value") }} as change_percent_of_before,
            case
                when newer.more_is_better
                then {{ percent("newer.value - older.value", "older.value") }}
                else {{ percent("older.value - newer.value", "newer.value") }}
            end as improvement_percent_of_before,
            older.generation as generation_before,
            newer.generation as generation_after,
            older.cps,
            older.rni_class
        from ordered as newer
        inner join
            ordered as older
            on newer.origin = older.origin
            and newer.factors_id = older.factors_id
            and newer.mq_level is not distinct from older.mq_level
            and newer.metric = older.metric
            and newer.unit = older.unit
            and newer.machine <> older.machine
            and coalesce(
                nullif(sign(newer.order_no - older.order_no), 0),
                nullif(sign(epoch(newer.first_start_utc - older.first_start_utc)), 0),
                if(newer.machine > older.machine, 1, -1)
            )
            > 0

    ),

    -- LSPR is published for some numbers of CPs. It depends on them so little that the nearest will do.
    nearest as (

        select pair.*, expected.cpus as expected_for_cps, expected.expected_percent
        from pair
        left join
            expected
            on pair.generation_after = expected.machine
            and pair.generation_before = expected.compared_with_machine
            and pair.rni_class = expected.rni_class
            and pair.cps is not null
        qualify
            row_number() over (
                partition by
                    pair.origin, pair.configuration_id_before, pair.configuration_id_after, pair.metric
                order by abs(ln(expected.cpus / pair.cps)), expected.cpus
            )
            = 1

    )

select *
from nearest
