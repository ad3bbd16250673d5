-- Records that were already in an earlier load, which marts leave out.
with
    dropped as (

        select source_id, record_no, record_type, record_subtype, smf_time_local
        from {{ source("staging", "rmf__record") }}
        anti join {{ ref("int_rmf__record") }} using (source_id, record_no)
        union all
        select source_id, record_no, record_type, record_subtype, smf_time_local
        from {{ source("staging", "mq__record") }}
        anti join {{ ref("int_mq__record") }} using (source_id, record_no)
        union all
        select source_id, record_no, 30 as record_type, record_subtype, smf_time_local
        from {{ source("staging", "zos_cpu__job_record") }}
        semi join {{ source("staging", "zos_cpu__job_identification") }} using (source_id, record_no)
        semi join {{ ref("stg_zos_cpu__job_processor") }} using (source_id, record_no)
        anti join {{ ref("int_zos_cpu__address_space") }} using (source_id, record_no)

    )

select
    source_id,
    record_type,
    record_subtype,
    cast(smf_time_local as date) as day_local,
    min(record_no) as record_no,
    count(*) as records
from dropped
group by all
