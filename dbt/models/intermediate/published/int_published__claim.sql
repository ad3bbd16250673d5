with claim as (

    select * from {{ ref('stg_published__claim') }}

),

load as (

    select * from {{ ref('stg_lake__load') }}

),

latest as (

    -- a row that was loaded again with another content counts as it was loaded last
    select claim.*
    from claim
    left join load using (source_id)
    qualify
        row_number() over (
            partition by claim.claim_id
            order by load.loaded_at_utc desc nulls last, claim.source_id asc
        ) = 1

)

select * from latest
