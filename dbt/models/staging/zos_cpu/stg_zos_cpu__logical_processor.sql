with
    source as (select * from {{ source("zos_cpu", "smf70_1_prsm_logical_processor") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            smf70vpa as cpu_id,
            smf70cix as kind_no,
            {{ seconds("smf70pdt") }} as dispatch_seconds,
            nullif({{ seconds("smf70edt") }}, 0) as effective_seconds,
            {{ seconds("smf70ont") }} as online_seconds,
            {{ seconds("smf70wst") }} as wait_seconds,
            smf70bps as weight,
            smf70bps = 65535 as dedicated,
            smf70wsa as wait_completion,
            smf70nca as capped_samples,
            smf70poi as polarization
        from source

    )

select *
from renamed
