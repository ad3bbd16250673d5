with
    source as (select * from {{ source("lake", "usage_hour") }}),

    renamed as (

        select *
        from source
        -- A later roll-up of an hour has everything that an earlier one had, plus late records.
        qualify
            row_number() over (
                partition by
                    regexp_extract(source_id, '^hours-([a-z]+)', 1),
                    hour_utc,
                    subject,
                    sysplex,
                    system_id,
                    queue_manager,
                    name
                order by source_id desc
            )
            = 1

    )

select
    -- ids
    source_id,
    record_no,

    -- what the row is about
    regexp_extract(source_id, '^hours-([a-z]+)', 1) as origin,
    hour_utc,
    subject,
    sysplex,
    system_id,
    queue_manager,
    name,
    utc_offset_minutes,

    -- figures
    intervals,
    {% for measure in usage_measures() %}
        {{ "puts as " if measure == "messages_put" }}{{ measure }}{{ "," if not loop.last }}
    {% endfor %}
from renamed
