{% set factors = published_levels() %}

-- The published figures that best match each configuration. A figure must agree on every factor
-- that both state. The figures with the most agreeing factors win; among those, the ones that state
-- the fewest other factors. Where the text around a table says what a run must be, the run must state
-- that, and what the figure states.
--
-- A cost is compared with that of the LPARs or of the workload, as its document says; if it does not
-- say, with both.
with
    printed as (

        select
            cell.cell_id,
            cell.document_id,
            cell.table_id,
            cell.standard_value,
            cell.value_low * cell.standard_value / nullif(cell.value, 0) as standard_low,
            cell.value_high * cell.standard_value / nullif(cell.value, 0) as standard_high,
            cell.is_after_ziip_offload,
            cell.compared_with_machine,
            cell.machine,
            counterpart.run_metric is not null as has_counterpart,
            coalesce(counterpart.run_metric, cell.metric) as metric,
            coalesce(counterpart.standard_unit, cell.standard_unit) as standard_unit,
            coalesce(counterpart.address_space, nullif(cell.address_space, 'total')) as address_space,
            coalesce(string_split(counterpart.conditions, ' '), []) as conditions,
            {% for factor, expression in factors %}
                if(
                    counterpart.ignored = '{{ factor }}', null, cast({{ expression }} as varchar)
                ) as "{{ factor }}",
            {% endfor %}
            case
                when cell.metric not in ('cost_per_GB', 'cost_per_transaction')
                then ['']
                when nullif(cell.address_space, 'total') is not null
                then ['']
                when layout.cost_basis = 'lpar'
                then ['']
                when layout.cost_basis = 'workload'
                then ['_of_workload']
                else ['', '_of_workload']
            end as bases
        from {{ ref("int_published__cell") }} as cell
        left join {{ ref("published_table") }} as layout using (document_id, table_id)
        left join
            {{ ref("published_counterpart") }} as counterpart
            on cell.document_id = counterpart.document_id
            and cell.table_id = counterpart.table_id
            and cell.metric = counterpart.metric
            and coalesce(cell.row_label = counterpart.row_label, counterpart.row_label is null)
            and coalesce(cell.message_size = counterpart.message_size, counterpart.message_size is null)
            and coalesce(cell.machine = counterpart.machine, counterpart.machine is null)
            and coalesce(cell.protocol = counterpart.of_protocol, counterpart.of_protocol is null)
        where cell.standard_value is not null

    ),

    cell as (

        select
            * exclude (bases, metric),
            concat(metric, unnest(bases), if(is_after_ziip_offload, '_after_offload', '')) as metric,
            len(conditions)
            {%- for factor, _ in factors %} + if("{{ factor }}" is null, 0, 1) {%- endfor %}
            + if(machine is null, 0, 1) as stated
        from printed

    ),

    configuration as (

        select
            configuration_id,
            machine,
            {% for factor, _ in factors %} cast("{{ factor }}" as varchar) as "{{ factor }}", {% endfor %}
            {{ factor_levels() }} as levels
        from {{ ref("int_runs__configuration") }}

    ),

    matching_cell as (

        select
            configuration.configuration_id,
            cell.cell_id,
            cell.document_id,
            cell.metric,
            cell.address_space,
            cell.compared_with_machine,
            cell.standard_value,
            cell.standard_low,
            cell.standard_high,
            cell.standard_unit,
            cell.table_id,
            cell.has_counterpart,
            cell.stated,
            len(cell.conditions)
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
            and list_has_all(configuration.levels, cell.conditions)

    )

select * exclude (has_counterpart, stated) replace (cast(agreeing as integer) as agreeing)
from matching_cell
where if(has_counterpart, agreeing = stated, agreeing > 2)
qualify
    rank() over (partition by configuration_id, metric, address_space order by agreeing desc, not_stated) = 1
