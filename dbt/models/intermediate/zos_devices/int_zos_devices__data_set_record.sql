with
    record as (

        select
            record.origin,
            record.source_id,
            record.record_no,
            record.system_id,
            job.job_name,
            job.step_name,
            job.step_number,
            job.service_class,
            job.workload,
            job.occasion,
            job.utc_offset_minutes,
            job.job_read_local,
            record.smf_time_local,
            record.smf_time_local - to_minutes(job.utc_offset_minutes) as written_at_utc
        from {{ ref("stg_lake__record") }} as record
        inner join {{ ref("stg_zos_devices__data_set_job") }} as job using (source_id, record_no)
        where record.record_type = 42 and job.section_no = 1

    ),

    -- A system writes the records of all data sets at the end of each SMF interval. Of a day on which it
    -- pauses for more than that, records are missing.
    pause as (

        select
            *,
            epoch(
                written_at_utc - lag(written_at_utc) over (
                    partition by origin, system_id, cast(smf_time_local as date) order by written_at_utc
                )
            ) as seconds
        from
            (
                select distinct origin, system_id, smf_time_local, written_at_utc
                from record
                where occasion = 'Interval'
            )

    ),

    usual as (

        select
            *,
            median(seconds) over (
                partition by origin, system_id, cast(smf_time_local as date)
            ) as usual_seconds
        from pause
        where seconds >= 60  -- the records of one interval are seconds apart

    ),

    missing as (

        select usual.origin, usual.system_id, usual.written_at_utc as until_utc, usual.seconds
        from usual
        left join
            {{ days(ref("int_zos_cpu__interval"), around=1) }} as interval
            on usual.origin = interval.origin
            and usual.system_id = interval.system_id
            and usual.written_at_utc > interval.interval_start_utc
            and usual.written_at_utc - to_seconds(usual.seconds) < interval.interval_end_utc
        where usual.seconds between 300 and 7200
        group by all
        having usual.seconds > 1.5 * coalesce(max(interval.interval_seconds), max(usual.usual_seconds))

    )

select
    record.*,
    -- Records of a longer time do not follow one another.
    case
        when record.written_at_utc <= missing.until_utc + interval 2 hour then missing.until_utc
    end as missing_until_utc,
    missing.seconds as missing_seconds
from record
asof left join
    missing
    on record.origin = missing.origin
    and record.system_id = missing.system_id
    and record.written_at_utc >= missing.until_utc
