with
    source as (

        {% for subtype in [1, 2] %}
            select
                source_id,
                record_no,
                section_no,
                smf113intervalstart as interval_start,
                smf113intervalend as interval_end
            from
                {{ source("zos_devices", "smf113_" ~ subtype ~ "_identification") }}
                {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    renamed as (

        select source_id, record_no, interval_start as interval_start_utc, interval_end as interval_end_utc
        from source
        where section_no = 1

    )

select *
from renamed
