with source as (

    select * from {{ source('lake', 'ledger_rolled') }}

),

renamed as (

    select
        source_id,
        max(rolled_until) as rolled_until_utc
    from source
    group by source_id

)

select * from renamed
