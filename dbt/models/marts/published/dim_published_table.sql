with
    printed as (

        select document_id, table_id, count(*) as figures, min(source_line) as first_line
        from {{ ref("int_published__cell") }}
        group by document_id, table_id

    )

select
    -- ids
    printed.document_id,
    printed.table_id,

    -- text
    'published' as origin,
    coalesce(layout.place, 'not described') as place,
    coalesce(layout.title, printed.table_id) as title,
    coalesce(string_split(layout.row_factors, ' '), ['row_label']) as row_factors,
    -- without columns, a table is a list
    coalesce(string_split(layout.column_factors, ' '), []) as column_factors,

    -- numerics
    printed.figures,
    printed.first_line
from printed
left join {{ ref("published_table") }} as layout using (document_id, table_id)
