{% set work = "general_purpose_seconds, ziip_seconds, ziip_on_cp_seconds, eligible_seconds" %}

with
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
            any_value(utc_offset_minutes) as utc_offset_minutes,
            {{ known_total("general_purpose_seconds") }} as general_purpose_seconds,
            {{ known_total("ziip_seconds") }} as ziip_seconds,
            {{ known_total("ziip_on_cp_seconds") }} as ziip_on_cp_seconds,
            {{ known_total("(ziip_cp_equivalent_seconds + ziip_on_cp_seconds)") }} as eligible_seconds,
            {{ known_total("transactions") }} as transactions
        from {{ days(ref("fct_service_class_period_interval"), around=1) }}
        group by source_id, record_no, service_class

    ),

    space as (

        select *, concat_ws('/', pod_id, container_id) as container
        from {{ days(ref("fct_address_space_interval"), around=1) }}

    ),

    manager as (select * from {{ days(ref("fct_queue_manager_interval"), around=1) }}),

    -- Records of channels do not say what the local time is.
    clock_of_manager as (

        select
            origin,
            system_id,
            queue_manager,
            date_trunc('hour', interval_start_utc + interval 30 second) as clock_hour_utc,
            max(utc_offset_minutes) as utc_offset_minutes
        from manager
        group by all

    ),

    channel as (

        select channel.*, clock_of_manager.utc_offset_minutes
        from {{ days(ref("fct_channel_interval"), around=1) }} as channel
        left join
            clock_of_manager
            on channel.origin = clock_of_manager.origin
            and channel.system_id = clock_of_manager.system_id
            and channel.queue_manager = clock_of_manager.queue_manager
            and date_trunc('hour', channel.interval_start_utc + interval 30 second)
            = clock_of_manager.clock_hour_utc

    ),

    interval_usage as (

        {% set interval = "origin, source_id, record_no, system_id, interval_start_utc, interval_seconds, utc_offset_minutes" %}
        select
            {{ interval }},
            {{ work }},
            sysplex,
            '' as queue_manager,
            'service class' as subject,
            service_class as name,
            transactions
        from class
        {% for subject, name in {"address space": "job_name", "container": "container"}.items() %}
            union all by name
            select
                {{ interval }},
                {{ work }},
                sysplex,
                '' as queue_manager,
                '{{ subject }}' as subject,
                {{ name }} as name
            from space {{ "where container_id is not null" if subject == "container" }}
        {% endfor %}
        union all by name
        select
            {{ interval }},
            '' as sysplex,
            queue_manager,
            'queue manager' as subject,
            queue_manager as name,
            mqi_calls,
            puts + put1s as messages_put,
            gets,
            log_bytes_written
        from manager
        union all by name
        select
            {{ interval }},
            '' as sysplex,
            queue_manager,
            'channel' as subject,
            channel_name as name,
            messages,
            bytes_sent,
            bytes_received
        from channel

    ),

    {{ ledger("subject <> 'lpar'", usage_measures()) }},

    system as (select * from {{ days(ref("fct_system_hour"), around=1) }}),

    -- A second on a CP, at the speed and the price of the LPAR in the hour.
    speed as (

        select
            origin,
            sysplex,
            system_id,
            hour_utc,
            {{ ratio("sum(msu_hours)", "sum(consumed_cp_seconds)") }} as msu_hours_per_cp_second,
            {{ ratio("sum(consumed_cp_seconds * money_per_cp_second)", "sum(consumed_cp_seconds)") }}
            as money_per_cp_second,
            max(utc_offset_minutes) as utc_offset_minutes
        from system
        group by all

    ),

    -- z/OS starts a queue manager's address spaces under these names. Records of MQ name no sysplex.
    own_space as (

        select
            origin,
            system_id,
            regexp_extract(name, '^(.+)(MSTR|CHIN)$', 1) as queue_manager,
            hour_utc,
            max(sysplex) as own_sysplex,
            sum(general_purpose_seconds) as manager_seconds,
            sum(general_purpose_seconds) filter (where name like '%CHIN') as initiator_seconds
        from hour
        where subject = 'address space' and regexp_matches(name, '^.+(MSTR|CHIN)$')
        group by all
        having count(distinct sysplex) = 1

    ),

    -- Channels share the time of the channel initiator by their bytes.
    owned as (

        select
            hour.* replace (
                case
                    hour.subject
                    when 'queue manager'
                    then manager_seconds
                    when 'channel'
                    then
                        initiator_seconds
                        * coalesce(hour.bytes_sent + hour.bytes_received, 0)
                        / nullif(sum(hour.bytes_sent + hour.bytes_received) over manager, 0)
                    else hour.general_purpose_seconds
                end as general_purpose_seconds
            ),
            coalesce(own_sysplex, hour.sysplex) as own_sysplex
        from hour
        left join
            own_space
            on hour.origin = own_space.origin
            and hour.system_id = own_space.system_id
            and hour.queue_manager = own_space.queue_manager
            and hour.hour_utc = own_space.hour_utc
        window
            manager as (
                partition by hour.subject, hour.origin, hour.system_id, hour.queue_manager, hour.hour_utc
            )

    ),

    usage as (

        select
            owned.* replace (
                coalesce(owned.utc_offset_minutes, speed.utc_offset_minutes) as utc_offset_minutes
            ),
            speed.msu_hours_per_cp_second,
            speed.money_per_cp_second
        from owned
        left join
            speed
            on owned.origin = speed.origin
            and owned.own_sysplex = speed.sysplex
            and owned.system_id = speed.system_id
            and owned.hour_utc = speed.hour_utc
        union all by name
        select * exclude (partition_name), 'lpar' as subject, '' as queue_manager, partition_name as name
        from system

    )

select
    usage.origin,
    usage.source_id,
    usage.record_no,
    usage.hour_utc,
    usage.subject,
    usage.sysplex,
    usage.system_id,
    usage.queue_manager,
    usage.name,
    usage.intervals,
    usage.rolled_intervals,
    usage.minutes,
    {% for measure in usage_measures() %} usage.{{ measure }}, {% endfor %}
    usage.service_units / 1e6 as msu_hours,
    usage.utc_offset_minutes,
    cast(usage.hour_utc + to_minutes(usage.utc_offset_minutes) as date) as local_date,
    usage.msu_hours_per_cp_second,
    usage.money_per_cp_second,
    case
        when usage.subject = 'channel'
        then (usage.bytes_sent + usage.bytes_received) / 1073741824 * price.network_gb
        when usage.subject <> 'lpar' or usage.service_units is not null
        then usage.general_purpose_seconds * usage.money_per_cp_second
    end as cost_money,
    if(cost_money is null, null, price.currency) as currency
from usage
left join
    {{ ref("stg_lake__price") }} as price on {{ valid_at("price", "usage.hour_utc") }} and price.machine = ''
