with
    claim as (select * from {{ source("staging", "published__claim") }}),

    load as (select * from {{ ref("stg_lake__load") }}),

    latest as (

        -- If a row was loaded again with different content, keep the last version.
        select claim.*
        from claim
        left join load using (source_id)
        qualify
            row_number() over (
                partition by claim.claim_id order by load.loaded_at_utc desc nulls last, claim.source_id asc
            )
            = 1

    )

select *
from latest
