with document as (

    select * from {{ ref('stg_published__document') }}

),

load as (

    select * from {{ ref('stg_lake__load') }}

),

latest as (

    -- a row that was loaded again with another content counts as it was loaded last
    select document.*
    from document
    left join load using (source_id)
    qualify
        row_number() over (
            partition by document.document_id
            order by load.loaded_at_utc desc nulls last, document.source_id asc
        ) = 1

)

select * from latest
