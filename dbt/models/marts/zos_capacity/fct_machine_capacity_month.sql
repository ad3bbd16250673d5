with
    -- As a sub-capacity report has it: of each LPAR the mean over the hour, and an LPAR without records
    -- nothing. The month of such a report begins on the second.
    hour as (

        select
            origin,
            coalesce(machine_type, '') as machine_type,
            coalesce(machine_serial, '') as machine_serial,
            sysplex,
            system_id,
            partition_name,
            hour_local,
            date_trunc('hour', hour_local - to_minutes(utc_offset_minutes)) as hour_utc,
            cast(date_trunc('month', hour_local - interval 1 day) as date) as month,
            {{ first_record() }},
            coalesce(
                {{ mean_rate("long_term_average_msu", "long_term_seconds") }},
                {{ mean_rate("four_hour_average_msu", "four_hour_seconds") }}
            ) as average_msu,
            sum(msu_hours) as msu_hours
        from {{ ref("fct_system_hour") }}
        where hour_local is not null
        group by all

    ),

    together as (

        select
            origin,
            machine_type,
            machine_serial,
            coalesce(sysplex, '') as sysplex,
            grouping(sysplex) = 1 as is_whole_machine,
            month,
            hour_utc,
            {{ first_record() }},
            min(hour_local) as hour_local,
            sum(average_msu) as four_hour_average_msu,
            count(average_msu) as partitions,
            string_agg(
                partition_name || ' ' || round(average_msu, 2), ', ' order by average_msu desc, partition_name
            ) filter (where average_msu is not null) as contributors,
            sum(msu_hours) as msu_hours
        from hour
        group by origin, machine_type, machine_serial, month, hour_utc, grouping sets ((), (sysplex))

    )

select
    origin,
    arg_min(source_id, (hour_utc, source_id, record_no)) as source_id,
    arg_min(record_no, (hour_utc, source_id, record_no)) as record_no,
    machine_type,
    machine_serial,
    sysplex,
    is_whole_machine,
    month,
    {% for column in ["hour_utc", "hour_local", "partitions", "contributors"] %}
        arg_min(peak.{{ column }}, (- peak.four_hour_average_msu, peak.hour_utc)) filter (
            where peak.four_hour_average_msu is not null
        ) as peak_{{ column }},
    {% endfor %}
    max(peak.four_hour_average_msu) as peak_four_hour_average_msu,
    count(*) as hours,
    count(peak.four_hour_average_msu) as hours_known,
    sum(peak.msu_hours) as msu_hours
from together as peak
group by origin, machine_type, machine_serial, sysplex, is_whole_machine, month
