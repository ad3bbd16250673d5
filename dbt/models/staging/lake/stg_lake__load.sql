{{ config(materialized="table") }}

with
    source as (select * from {{ source("lake", "ledger") }}),

    day as (
        select source_id, max(last_record_no) as last_record_no
        from {{ source("lake", "ledger_day") }}
        group by source_id
    ),

    renamed as (

        select
            -- ids
            source_id,

            -- text
            path,
            origin,
            kind,
            framing,
            compression,
            decoder_version,
            status,

            -- numerics
            bytes,
            records,
            records_loaded,
            records_quarantined,
            row_number() over (order by loaded_at, source_id) as load_no,
            last_record_no,

            -- dates
            loaded_at as loaded_at_utc
        from source
        left join day using (source_id)

    )

select *
from renamed
