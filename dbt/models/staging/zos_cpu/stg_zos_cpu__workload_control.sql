with
    source as (select * from {{ source("zos_cpu", "smf72_3_workload_manager_control") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            r723mrcl as is_report_class,
            r723mcaa or r723mpol as without_data,
            r723mcnm as class_name,
            nullif(r723mwnm, '') as workload,
            nullif(r723mnsp, '') as service_policy,
            r723mtpa as policy_activated_local,
            r723mcpu as cpu_coefficient,
            r723msrb as srb_coefficient,
            cast(r723madj as double) as cpu_adjustment,
            r723nffi / 256e0 as zaap_factor,
            r723nffs / 256e0 as ziip_factor,
            -- Without multithreading, a capacity is that of one thread; zero zIIP capacity means no
            -- zIIPs.
            coalesce(nullif(r723mcf, 0), 1024) / 1024e0 as cp_capacity,
            nullif(coalesce(r723mcfs, 1024), 0) / 1024e0 as ziip_capacity
        from source

    )

select *
from renamed
