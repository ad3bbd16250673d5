-- Records of types 30 and 113 that disagree about the same thing in the same interval, as of two machines
-- whose
-- systems have the same names. Which is right cannot be known: none counts.
with
    -- A record without an interval stands for its moment.
    about as (

        select
            record.*,
            coalesce(system.sysplex, '') as sysplex,
            concat_ws(' ', job.job_name, job.address_space_id) as subject,
            coalesce(job.interval_start_utc, job.interval_end_utc - interval 20 second) as interval_start_utc,
            job.interval_end_utc
        from {{ ref("stg_lake__record") }} as record
        inner join {{ source("staging", "zos_cpu__job_identification") }} as job using (source_id, record_no)
        inner join {{ ref("stg_zos_cpu__job_processor") }} as processor using (source_id, record_no)
        left join {{ source("staging", "zos_cpu__job_system") }} as system using (source_id, record_no)
        where record.record_type = 30 and record.record_subtype in (2, 3, 6) and job.address_space_id > 0
        union all by name
        select
            record.*,
            '' as sysplex,
            concat_ws(' ', processor.processor_type, processor.cpu_id) as subject,
            coalesce(
                counted.interval_start_utc, processor.written_at_utc - interval 20 second
            ) as interval_start_utc,
            processor.written_at_utc as interval_end_utc
        from {{ ref("stg_lake__record") }} as record
        inner join {{ ref("stg_zos_devices__counter_processor") }} as processor using (source_id, record_no)
        left join {{ ref("stg_zos_devices__counter_interval") }} as counted using (source_id, record_no)
        where record.record_type = 113

    ),

    contradiction as (

        {{
            contradictions(
                "(select *, struct_pack(source_id := source_id, record_no := record_no) as record from about)",
                "origin, sysplex, system_id, record_type, record_subtype, subject",
            )
        }}

    )

select
    about.origin,
    about.source_id,
    about.record_no,
    any_value(about.sysplex) as sysplex,
    any_value(about.system_id) as system_id,
    any_value(about.record_type) as record_type,
    any_value(about.record_subtype) as record_subtype,
    min(about.interval_start_utc) as interval_start_utc,
    max(about.interval_end_utc) as interval_end_utc,
    any_value(contradiction.contradicting_record) as contradicting_record
from about
inner join contradiction using (source_id, record_no)
group by about.origin, about.source_id, about.record_no
