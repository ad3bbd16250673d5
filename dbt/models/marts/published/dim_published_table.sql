{% set names = run_factors() | map("first") | list + ["machine"] %}

with
    printed as (

        select document_id, table_id, count(*) as figures, min(source_line) as first_line
        from {{ ref("int_published__cell") }}
        group by document_id, table_id

    ),

    -- What a run must state, with the level if all figures have the same.
    required as (

        select
            document_id,
            table_id,
            list_filter(
                [
                    {%- for name in names %}
                        {% set level = 'levels."' ~ name ~ '"' %}
                        {% set needed = (
                            level
                            ~ " <> '*' and "
                            ~ level
                            ~ ' is distinct from defaults."'
                            ~ name
                            ~ '"'
                        ) %}
                        case
                            count(distinct {{ level }}) filter (where {{ needed }})
                            when 0
                            then null
                            when 1
                            then '{{ name }}=' || max({{ level }})
                            else '{{ name }}'
                        end {{ "," if not loop.last }}
                    {%- endfor %}
                ],
                lambda factor:factor is not null
            ) as run_factors
        from {{ ref("int_published__figure") }}
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
    layout.cost_basis,
    coalesce(required.run_factors, []) as run_factors,

    -- numerics
    printed.figures,
    printed.first_line
from printed
left join {{ ref("published_table") }} as layout using (document_id, table_id)
left join required using (document_id, table_id)
