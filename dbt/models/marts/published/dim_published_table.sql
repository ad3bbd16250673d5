with
    printed as (

        select
            document_id,
            table_id,
            count(*) as figures,
            min(source_line) as first_line,
            list_filter(
                [
                    {%- for factor, expression in published_levels() if "document_id" not in expression %}
                        if(count({{ expression }}) > 0, '{{ factor }}', null),
                    {%- endfor %}
                    if(count(machine) > 0, 'machine', null)
                ],
                lambda factor:factor is not null
            ) as run_factors
        from {{ ref("int_published__cell") }}
        group by document_id, table_id

    ),

    condition as (

        select document_id, table_id, list(distinct condition order by condition) as conditions
        from
            (
                select document_id, table_id, unnest(string_split(conditions, ' ')) as condition
                from {{ ref("published_counterpart") }}
            )
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
    list_concat(printed.run_factors, coalesce(condition.conditions, [])) as run_factors,

    -- numerics
    printed.figures,
    printed.first_line
from printed
left join {{ ref("published_table") }} as layout using (document_id, table_id)
left join condition using (document_id, table_id)
