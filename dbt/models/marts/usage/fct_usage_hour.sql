with
    capacity as (select * from {{ days(ref("fct_lpar_capacity_interval"), around=1) }}),

    used as (

        select
            source_id,
            record_no,
            sum(used_seconds) filter (where processor_type = 'CP') as general_purpose_seconds,
            sum(used_seconds) filter (where processor_type = 'zIIP') as ziip_seconds
        from {{ days(ref("fct_processor_interval"), around=1) }}
        group by source_id, record_no

    ),

    class as (

        select
            source_id,
            record_no,
            service_class,
            any_value(origin) as origin,
            any_value(sysplex) as sysplex,
            any_value(system_id) as system_id,
            any_value(interval_start_utc) as interval_start_utc,
            any_value(interval_seconds) as interval_seconds,
            {{ known_total("general_purpose_seconds") }} as general_purpose_seconds,
            {{ known_total("ziip_seconds") }} as ziip_seconds,
            {{ known_total("ziip_on_cp_seconds") }} as ziip_on_cp_seconds,
            {{ known_total("(ziip_cp_equivalent_seconds + ziip_on_cp_seconds)") }} as eligible_seconds,
            {{ known_total("transactions") }} as transactions
        from {{ days(ref("fct_service_class_period_interval"), around=1) }}
        group by source_id, record_no, service_class

    ),

    interval_usage as (

        select
            capacity.origin,
            capacity.source_id,
            capacity.record_no,
            'lpar' as subject,
            capacity.sysplex,
            capacity.system_id,
            capacity.partition_name as name,
            capacity.interval_start_utc,
            capacity.interval_seconds,
            used.general_purpose_seconds,
            used.ziip_seconds,
            capacity.service_units,
            capacity.long_term_average_msu as highest_long_term_average_msu
        from capacity
        left join used using (source_id, record_no)
        union all by name
        select
            origin,
            source_id,
            record_no,
            'service class' as subject,
            sysplex,
            system_id,
            service_class as name,
            interval_start_utc,
            interval_seconds,
            general_purpose_seconds,
            ziip_seconds,
            ziip_on_cp_seconds,
            eligible_seconds,
            transactions
        from class
        union all by name
        select
            origin,
            source_id,
            record_no,
            'address space' as subject,
            sysplex,
            system_id,
            job_name as name,
            interval_start_utc,
            interval_seconds,
            general_purpose_seconds,
            ziip_seconds,
            ziip_on_cp_seconds,
            eligible_seconds
        from {{ days(ref("fct_address_space_interval"), around=1) }}
        union all by name
        select
            origin,
            source_id,
            record_no,
            'container' as subject,
            sysplex,
            system_id,
            concat_ws('/', pod_id, container_id) as name,
            interval_start_utc,
            interval_seconds,
            general_purpose_seconds,
            ziip_seconds,
            ziip_on_cp_seconds,
            eligible_seconds
        from {{ days(ref("fct_address_space_interval"), around=1) }}
        where container_id is not null
        union all by name
        select
            origin,
            source_id,
            record_no,
            'queue manager' as subject,
            system_id,
            queue_manager,
            queue_manager as name,
            interval_start_utc,
            interval_seconds,
            mqi_calls,
            puts + put1s as messages_put,
            gets,
            log_bytes_written
        from {{ days(ref("fct_queue_manager_interval"), around=1) }}
        union all by name
        select
            origin,
            source_id,
            record_no,
            'channel' as subject,
            system_id,
            queue_manager,
            channel_name as name,
            interval_start_utc,
            interval_seconds,
            messages,
            bytes_sent,
            bytes_received
        from {{ days(ref("fct_channel_interval"), around=1) }}

    ),

    rolled as (

        select source_id, max(rolled_until_utc) as rolled_until_utc
        from {{ source("staging", "lake__rolled") }}
        group by source_id

    ),

    -- Leave out intervals in an hour that a roll-up already covers.
    counted as (

        select
            origin,
            {{ first_record() }},
            date_trunc('hour', interval_start_utc + interval 30 second) as hour_utc,
            subject,
            coalesce(sysplex, '') as sysplex,
            coalesce(system_id, '') as system_id,
            coalesce(queue_manager, '') as queue_manager,
            coalesce(name, '') as name,
            count(*) as intervals,
            0 as rolled_intervals,
            {% for measure in usage_measures() %}
                {{ known_total(measure) }} as {{ measure }}{{ "," if not loop.last }}
            {% endfor %}
        from interval_usage
        left join rolled using (source_id)
        where
            interval_start_utc is not null
            and (
                rolled.rolled_until_utc is null
                or date_trunc('hour', interval_start_utc + interval 30 second) >= rolled.rolled_until_utc
            )
        group by all

    ),

    usage as (

        select *
        from counted
        union all by name
        select *, intervals as rolled_intervals
        from {{ ref("stg_lake__usage_hour") }}

    ),

    hour as (

        select
            origin,
            {{ first_record(["rolled_intervals = 0"]) }},
            hour_utc,
            subject,
            sysplex,
            system_id,
            queue_manager,
            name,
            cast(sum(intervals) as bigint) as intervals,
            cast(sum(rolled_intervals) as bigint) as rolled_intervals,
            max(utc_offset_minutes) as kept_offset_minutes,
            {% for measure in usage_measures() %} {{ known_total(measure) }} as {{ measure }}, {% endfor %}
            {{ known_total("service_units") }} / 1e6 as msu_hours
        from usage
        group by origin, hour_utc, subject, sysplex, system_id, queue_manager, name

    ),

    -- The records of an hour that is rolled up may be gone, so its offset is kept with it.
    clock as (

        select
            origin,
            sysplex,
            system_id,
            date_trunc('hour', interval_start_utc + interval 30 second) as hour_utc,
            max(utc_offset_minutes) as utc_offset_minutes
        from {{ days(ref("int_zos_cpu__interval"), around=1) }}
        group by all

    ),

    -- Records of MQ name no sysplex.
    clock_of_manager as (

        select
            origin,
            system_id,
            queue_manager,
            date_trunc('hour', interval_start_utc + interval 30 second) as hour_utc,
            max(utc_offset_minutes) as utc_offset_minutes
        from {{ days(ref("fct_queue_manager_interval"), around=1) }}
        group by all

    ),

    machine as (

        select
            used.origin,
            coalesce(used.sysplex, '') as sysplex,
            used.system_id,
            date_trunc('hour', used.interval_start_utc + interval 30 second) as hour_utc,
            max(machine.generation) as generation
        from {{ days(ref("fct_processor_interval"), around=1) }} as used
        inner join {{ ref("hardware_machine") }} as machine using (machine_type)
        group by all

    ),

    lpar as (

        select
            hour.origin,
            hour.sysplex,
            hour.system_id,
            hour.hour_utc,
            {{
                money_per_cp_second(
                    ratio(
                        "hour.msu_hours",
                        "hour.general_purpose_seconds",
                    )
                )
            }} as money_per_cp_second
        from hour
        left join
            machine using (origin, sysplex, system_id, hour_utc)
            {{ join_prices("hour.hour_utc", "machine.generation") }}
        where hour.subject = 'lpar'

    )

select
    hour.* exclude (kept_offset_minutes),
    {% set offset %}
        coalesce(
            clock.utc_offset_minutes,
            clock_of_manager.utc_offset_minutes,
            hour.kept_offset_minutes
        )
    {% endset %}
    {{ offset }} as utc_offset_minutes,
    cast(hour.hour_utc + to_minutes({{ offset }}) as date) as local_date,
    case
        when hour.subject = 'channel'
        then (hour.bytes_sent + hour.bytes_received) / 1073741824 * price.network_gb
        else hour.general_purpose_seconds * lpar.money_per_cp_second
    end as cost_money,
    if(cost_money is null, null, price.currency) as currency
from hour
left join clock using (origin, sysplex, system_id, hour_utc)
left join clock_of_manager using (origin, system_id, queue_manager, hour_utc)
left join lpar using (origin, sysplex, system_id, hour_utc)
left join
    {{ ref("stg_lake__price") }} as price on {{ valid_at("price", "hour.hour_utc") }} and price.machine = ''
