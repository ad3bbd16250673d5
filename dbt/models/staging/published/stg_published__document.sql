with source as (

    select * from {{ source('published', 'published_document') }}

),

renamed as (

    select
        -- ids
        document as document_id,
        source_id,
        record_no,

        -- text
        title,
        author,
        publisher,
        kind as document_kind,
        edition,
        product,
        machine,
        machine_model,
        other_system,

        -- numerics
        year as publication_year,
        month as publication_month
    from source

)

select * from renamed
