{% set factors = published_levels() %}

-- The published figures that best match each configuration. A figure must agree on every factor
-- that both state. The figures with the most agreeing factors win; among those, the ones that state
-- the fewest other factors.
with
    cell as (

        select
            cell_id,
            document_id,
            if(is_after_ziip_offload, metric || '_after_offload', metric) as metric,
            if(address_space = 'total', null, address_space) as address_space,
            standard_unit,
            standard_value,
            machine,
            {% for factor, expression in factors %}
                cast({{ expression }} as varchar) as "{{ factor }}",
            {% endfor %}
            table_id
        from {{ ref("int_published__cell") }}
        where standard_value is not null

    ),

    configuration as (

        select
            configuration_id,
            machine,
            {% for factor, _ in factors %}
                cast("{{ factor }}" as varchar) as "{{ factor }}"{{ "," if not loop.last }}
            {% endfor %}
        from {{ ref("int_runs__configuration") }}

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
        inner join
            cell
            on {% for factor, _ in factors %}
                coalesce(configuration."{{ factor }}" = cell."{{ factor }}", true) and
            {% endfor %}
            coalesce(configuration.file_size_mb = cell.file_size_mb, false) = (cell.file_size_mb is not null)

    )

select *
from matching_cell
where agreeing > 2
qualify
    rank() over (partition by configuration_id, metric, address_space order by agreeing desc, not_stated) = 1
