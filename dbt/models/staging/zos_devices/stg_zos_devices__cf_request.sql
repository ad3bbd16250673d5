with
    source as (select * from {{ source("zos_devices", "smf74_4_request") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            r744snam as structure_name,
            hex(r744sver) as structure_version,
            {{ label_of("r744styp", "smf74_4_request", "r744styp") }} as structure_type,
            r744scei as connected,
            r744senc as encrypted,
            r744ssec as asynchronous_secondary,
            r744cdsi as first_cache_section,
            r744cdne as cache_sections,

            -- requests; squares without a documented unit are in squared microseconds
            r744strc as program_requests,
            r744ssrc as synchronous_requests,
            cast({{ microseconds("r744sstm") }} as double) as synchronous_us,
            cast(r744sssq as double) as synchronous_us2,
            r744sarc as asynchronous_requests,
            cast({{ microseconds("r744satm") }} as double) as asynchronous_us,
            cast(r744sasq as double) as asynchronous_us2,
            r744ssta as changed_requests,

            -- delays
            r744sqrc as queued_requests,
            cast({{ microseconds("r744sqtm") }} as double) as queued_us,
            cast(r744sqsq as double) as queued_us2,
            r744sdrc as dump_requests,
            cast({{ microseconds("r744sdtm") }} as double) as dump_us,
            cast(r744sdsq as double) as dump_us2,
            r744sptc as peer_subchannel_requests,
            cast({{ microseconds("r744spst") }} as double) as peer_subchannel_us,
            cast(r744spss as double) as peer_subchannel_us2,
            r744srtc as peer_reserve_requests,
            cast({{ microseconds("r744srst") }} as double) as peer_reserve_us,
            cast(r744srss as double) as peer_reserve_us2,
            r744sctc as peer_completion_requests,
            cast({{ microseconds("r744scst") }} as double) as peer_completion_us,
            cast(r744scss as double) as peer_completion_us2,
            case when r744sxas then cast(r744sxsc as double) end as primary_requests,
            case when r744sxas then cast({{ microseconds("r744sxst") }} as double) end as primary_us,
            -- The manual describes this field as the square of the sum, which gives no deviation.
            cast(null as double) as primary_us2,
            case when r744sxmo then r744smrc end as monopolization_requests,
            case when r744sxmo then cast({{ microseconds("r744smtm") }} as double) end as monopolization_us,
            case when r744sxmo then cast(r744smsq as double) end as monopolization_us2,

            -- lock contention
            case when r744styp in (2, 3) then r744scn end as contended_requests,
            case when r744styp = 3 then r744sfcn end as false_contended_requests,

            -- space
            {{ blocks_mb("r744ssiz") }} as size_mb,
            nullif(r744slel, 0) as max_entries,
            case when r744slel > 0 then r744slem end as entries_used,
            nullif(r744sltl, 0) as max_lock_entries,
            case when r744sltl > 0 then r744sltm end as lock_entries_used,
            nullif(r744smae, 0) as max_elements,
            case when r744smae > 0 then r744scue end as elements_used,
            nullif(r744snlh, 0) as list_headers,
            case when r744styp = 4 then r744sdec end as directory_entries,
            case when r744styp = 4 then r744sdel end as data_elements,
            r744setm / 1e6 as execution_seconds
        from source

    )

select *
from renamed
