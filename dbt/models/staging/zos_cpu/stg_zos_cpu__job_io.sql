with
    source as (select * from {{ source("zos_cpu", "smf30_io_activity") }}),

    renamed as (

        select
            source_id,
            record_no,
            coalesce({{ unsigned("smf30tex") }}, {{ unless("smf30tef", "smf30tep") }}) as blocks,
            {{ unless("smf30iin", "smf30ais + smf30eis") }} as dasd_requests,
            {{ unless("smf30iin", seconds("smf30aic") ~ " + " ~ seconds("smf30eic")) }}
            as dasd_connect_seconds
        from source
        where section_no = 1

    )

select *
from renamed
