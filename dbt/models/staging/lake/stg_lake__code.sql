with source as (

    select * from {{ source('meta', 'code') }}

),

renamed as (

    select
        table_name,
        column_name,
        cast(code as varchar) as code,
        label
    from source

)

select * from renamed
