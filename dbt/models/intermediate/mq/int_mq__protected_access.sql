-- Accesses are recorded in local time only. Other records of the system tell how far it is from UTC.
with
    access as (

        select access.*, record.origin, record.system_id, record.smf_time_local
        from {{ ref("stg_mq__protected_access") }} as access
        inner join {{ ref("stg_lake__record") }} as record using (source_id, record_no)

    ),

    timed_record as (

        select
            source_id,
            record_no,
            origin,
            system_id,
            smf_time_local,
            utc_offset_minutes,
            smf_time_local - to_minutes(utc_offset_minutes) as smf_time_utc
        from {{ days(ref("int_rmf__record"), around=1) }}
        where utc_offset_minutes is not null
        union all by name
        select source_id, record_no, origin, system_id, smf_time_local, utc_offset_minutes, smf_time_utc
        from {{ days(ref("int_mq__record"), around=1) }}
        where smf_time_utc is not null

    ),

    -- An access may have been at a time at which records around it have the same difference to UTC. What is
    -- more than a day away, no incremental build sees.
    possible as (

        select
            access.source_id,
            access.record_no,
            access.system_id,
            access.smf_time_local,
            list(access.utc_offset_minutes order by access.smf_time_utc) as offsets
        from
            (
                select *, smf_time_local - to_minutes(utc_offset_minutes) as smf_time_utc
                from access
                inner join
                    (select distinct origin, system_id, utc_offset_minutes from timed_record) using (
                        origin, system_id
                    )
            ) as access
        {% for name, comparison in [("earlier", ">="), ("later", "<=")] %}
            asof left join
                timed_record as {{ name }}
                on access.origin = {{ name }}.origin
                and access.system_id = {{ name }}.system_id
                and access.smf_time_utc {{ comparison }} {{ name }}.smf_time_utc
        {% endfor %}
        where
            access.utc_offset_minutes = earlier.utc_offset_minutes
            and access.smf_time_utc - earlier.smf_time_utc <= interval 1 day
            or access.utc_offset_minutes = later.utc_offset_minutes
            and later.smf_time_utc - access.smf_time_utc <= interval 1 day
        group by access.source_id, access.record_no, access.system_id, access.smf_time_local

    ),

    -- The clocks went back, so that the local time came twice.
    repeated as (

        select *, to_minutes(offsets[1] - offsets[2]) + interval 5 minute as around
        from possible
        where len(offsets) = 2

    ),

    file_record as (

        select
            record.source_id,
            record.record_no,
            record.system_id,
            record.smf_time_local,
            timed_record.utc_offset_minutes,
            lag(record.smf_time_local) over (
                partition by record.source_id, record.system_id order by record.record_no
            )
            > record.smf_time_local + interval 5 minute as is_step_back
        from {{ ref("stg_lake__record") }} as record
        semi join repeated using (source_id, system_id)
        left join timed_record using (source_id, record_no)
        -- Headers and trailers have the time of the dump.
        where record.record_type not in (2, 3)

    ),

    -- The order of a file tells the first of the two hours from the second, unless it was sorted.
    placed as (

        select
            repeated.source_id,
            repeated.record_no,
            list(record.record_no) filter (where record.is_step_back) as steps,
            list(distinct record.utc_offset_minutes) filter (
                where record.utc_offset_minutes is not null
            ) as file_offsets,
            case
                when len(steps) = 1
                then any_value(repeated.offsets)[if(repeated.record_no < steps[1], 1, 2)]
                when steps is null and len(file_offsets) = 1
                then file_offsets[1]
            end as utc_offset_minutes
        from repeated
        inner join
            file_record as record
            on repeated.source_id = record.source_id
            and repeated.system_id = record.system_id
            and record.smf_time_local
            between repeated.smf_time_local - repeated.around and repeated.smf_time_local + repeated.around
        group by repeated.source_id, repeated.record_no

    )

select
    access.*,
    [
        access.smf_time_local - to_minutes(minutes)
        for minutes in case
            when placed.utc_offset_minutes is not null
            then [placed.utc_offset_minutes]
            else coalesce(possible.offsets, [])
        end
    ] as possible_times_utc,
    case when len(possible_times_utc) = 1 then possible_times_utc[1] end as smf_time_utc
from access
left join possible using (source_id, record_no)
left join placed using (source_id, record_no)
