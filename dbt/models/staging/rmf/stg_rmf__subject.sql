with
    source as (

        select
            source_id,
            record_no,
            section_no,
            concat_ws(
                ' ',
                case when r723mrcl then 'report class' else 'service class' end,
                r723mcnm,
                r723mnsp,
                r723mtpa
            ) as subject
        from {{ source("rmf", "smf72_3_workload_manager_control") }}
        union all
        select
            source_id,
            record_no,
            section_no,
            'device class ' || hex(smf74sub) || ', record ' || smf74lsn as subject
        from {{ source("rmf", "smf74_1_device_control") }}
        union all
        select source_id, record_no, section_no, 'coupling facility ' || r744fnam as subject
        from {{ source("rmf", "smf74_4_cf_local") }}

    ),

    renamed as (select source_id, record_no, subject from source where section_no = 1)

select *
from renamed
