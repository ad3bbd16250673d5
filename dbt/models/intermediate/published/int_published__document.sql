with
    document as (select * from {{ source("staging", "published__document") }}),

    load as (select * from {{ ref("stg_lake__load") }}),

    latest as (

        -- If a row was loaded again with different content, keep the last version.
        select document.*
        from document
        left join load using (source_id)
        qualify
            row_number() over (
                partition by document.document_id
                order by load.loaded_at_utc desc nulls last, document.source_id asc
            )
            = 1

    )

select *
from latest
