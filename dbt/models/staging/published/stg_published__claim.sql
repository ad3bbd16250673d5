with source as (

    select * from {{ source('published', 'published_claim') }}

),

renamed as (

    select
        -- ids
        claim_id,
        document as document_id,
        source_id,
        record_no,
        cast(string_split(anomalies, ';') as bigint[]) as anomaly_ids,

        -- text
        metric,
        comparator,
        unit,
        conditions,

        -- numerics
        source_line,
        low as claimed_low,
        high as claimed_high
    from source

)

select * from renamed
