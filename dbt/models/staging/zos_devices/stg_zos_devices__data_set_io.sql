with
    source as (select * from {{ source("zos_devices", "smf42_6_data_set_io_statistics") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            parent_no as data_set_no,
            s42dsion as ios,
            -- Newer releases provide the same averages in microseconds.
            coalesce({{ microseconds("s42dsr1u") }}, {{ microseconds("s42dsior") }}) as response_us,
            coalesce({{ microseconds("s42dsc1u") }}, {{ microseconds("s42dsioc") }}) as connect_us,
            coalesce({{ microseconds("s42dsp1u") }}, {{ microseconds("s42dsiop") }}) as pending_us,
            coalesce({{ microseconds("s42dsd1u") }}, {{ microseconds("s42dsiod") }}) as disconnect_us,
            coalesce({{ microseconds("s42dsq1u") }}, {{ microseconds("s42dsioq") }}) as control_unit_queue_us,
            {{ microseconds("s42dsb1u") }} as device_busy_us,
            {{ microseconds("s42dsm1u") }} as command_response_us,
            {{ microseconds("s42dsmxr") }} as longest_response_us,
            {{ microseconds("s42dsmxs") }} as longest_service_us,
            s42dscnd as cache_candidates,
            s42dsshts as cache_hits,
            s42dswcn as write_candidates,
            s42dswhi as write_hits,
            s42dsseq as sequential_ios,
            s42dsrdt as reads,
            s42dshrd as zhpf_reads,
            s42dshwr as zhpf_writes
        from source

    )

select *
from renamed
