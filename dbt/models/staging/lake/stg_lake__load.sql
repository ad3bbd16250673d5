{{ config(materialized="table") }}

with
    source as (select * from {{ source("lake", "ledger") }}),

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

            -- dates
            loaded_at as loaded_at_utc
        from source

    )

select *
from renamed
