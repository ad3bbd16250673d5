with source as (

    select * from {{ source('published', 'published_anomaly') }}

),

renamed as (

    select
        -- ids
        anomaly_id,
        string_split(documents, ';') as document_ids,
        source_id,
        record_no,

        -- text
        place,
        kind as anomaly_kind,
        finding,
        treatment,

        -- booleans
        affects_value = 'Y' as affects_value
    from source

)

select * from renamed
