{% set factors = published_levels() %}

-- The published figures that best match each configuration. A figure must agree on every factor
-- that both state. The figures with the most agreeing factors win; among those, the ones that state
-- the fewest other factors.
--
-- A cost is compared with that of the LPARs or of the workload, as its document says; if it does not
-- say, with both.
with printed as (

    select
        cell.* replace (nullif(cell.address_space, 'total') as address_space),
        case
            when cell.metric not in ('cost_per_GB', 'cost_per_transaction') then ['']
            when nullif(cell.address_space, 'total') is not null then ['']
            when layout.cost_basis = 'lpar' then ['']
            when layout.cost_basis = 'workload' then ['_of_workload']
            else ['', '_of_workload']
        end as bases
    from {{ ref('int_published__cell') }} as cell
    left join {{ ref('published_table') }} as layout using (document_id, table_id)
    where cell.standard_value is not null

),

cell as (

    select
        cell_id,
        document_id,
        concat(metric, unnest(bases), if(is_after_ziip_offload, '_after_offload', '')) as metric,
        address_space,
        standard_unit,
        standard_value,
        machine,
        {% for factor, expression in factors %}
        cast({{ expression }} as varchar) as "{{ factor }}",
        {% endfor %}
        table_id
    from printed

),

configuration as (

    select
        configuration_id,
        machine,
        {% for factor, _ in factors %}
        cast("{{ factor }}" as varchar) as "{{ factor }}"{{ "," if not loop.last }}
        {% endfor %}
    from {{ ref('int_runs__configuration') }}

),

matching_cell as (

    select
        configuration.configuration_id,
        cell.cell_id,
        cell.document_id,
        cell.metric,
        cell.address_space,
        cell.standard_value,
        cell.standard_unit,
        cell.table_id,
        0
        {%- for factor, _ in factors %}
        + if(configuration."{{ factor }}" = cell."{{ factor }}", 1, 0)
        {%- endfor %}
        + if(configuration.machine = cell.machine, 1, 0) as agreeing,
        0
        {%- for factor, _ in factors %}
        + if(configuration."{{ factor }}" is null and cell."{{ factor }}" is not null, 1, 0)
        {%- endfor %} as not_stated
    from configuration
    inner join cell
        on
            {% for factor, _ in factors %}
            coalesce(configuration."{{ factor }}" = cell."{{ factor }}", true)
            and
            {% endfor %}
            coalesce(configuration.file_size_mb = cell.file_size_mb, false)
            = (cell.file_size_mb is not null)

)

select *
from matching_cell
where agreeing > 2
qualify
    rank() over (
        partition by configuration_id, metric, address_space order by agreeing desc, not_stated
    ) = 1
