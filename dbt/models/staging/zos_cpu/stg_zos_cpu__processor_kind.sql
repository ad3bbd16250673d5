with
    source as (select * from {{ source("zos_cpu", "smf70_1_cpu_identification") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            {{ processor_type("smf70cin") }} as processor_type,
            smf70ctn as physical_processors
        from source

    )

select *
from renamed
