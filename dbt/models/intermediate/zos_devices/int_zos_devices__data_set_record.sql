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
