with
    source as (

        {% for type, subtype in rmf_kinds() %}
            select
                source_id,
                record_no,
                smf{{ type }}xnm as sysplex,
                smf{{ type }}snm as system_name,
                smf{{ type }}mvs as zos_level,
                smf{{ type }}dat as interval_start_date,
                smf{{ type }}ist as interval_start_time,
                smf{{ type }}int as interval_length,
                smf{{ type }}lgo as local_offset,
                smf{{ type }}iet as interval_end,
                smf{{ type }}sam as samples,
                smf{{ type }}ptn as partition_number,
                smf{{ type }}ran as reassembly_areas,
                smf{{ type }}iss as samples_skipped,
                smf{{ type }}m3r as by_monitor_iii,
                smf{{ type }}iip as ziip_boost,
                smf{{ type }}eed as speed_boost
            from {{ source("rmf", "smf" ~ type ~ "_" ~ subtype ~ "_product") }}
            where section_no = 1 {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    renamed as (

        select
            -- ids
            source_id,
            record_no,

            -- text
            nullif(sysplex, '') as sysplex,
            nullif(system_name, '') as system_name,
            nullif(zos_level, '') as zos_level,

            -- numerics
            {{ seconds("interval_length") }} as interval_seconds,
            cast(round(epoch(local_offset) / 60) as integer) as utc_offset_minutes,
            samples,
            partition_number,

            -- booleans
            reassembly_areas > 0 as broken,
            samples_skipped as skipped,
            by_monitor_iii as monitor_iii,
            ziip_boost,
            speed_boost,

            -- dates
            interval_start_date + interval_start_time as interval_start_local,
            interval_end as interval_token_utc
        from source

    )

select *
from renamed
