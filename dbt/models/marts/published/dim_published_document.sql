with
    document as (select * from {{ ref("int_published__document") }}),

    described as (

        select
            -- ids
            document_id,
            source_id,
            record_no,

            -- text
            'published' as origin,
            title,
            concat_ws(', ', author, title, edition, publisher, cast(publication_year as varchar)) as citation,
            author,
            publisher,
            document_kind,
            edition,
            product,
            machine,
            machine_model,
            other_system,

            -- numerics
            publication_year,
            publication_month
        from document

    )

select *
from described
