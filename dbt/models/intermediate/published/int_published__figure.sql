{% set names = run_factors() | map("first") | list + ["machine"] %}
{% set columns = dict(published_levels()) %}

-- Published figures as figures of runs, with the level of each factor: that of the table, else what the
-- text of the document says (seed published_setting). A run that does not state a factor has its default;
-- a factor without one must be stated.
--
-- A cost is compared with that of the LPARs or of the workload, as its document says; if it does not
-- say, with both.
with
    -- What the text says of a table counts before what it says of the document.
    setting as (

        select layout.document_id, layout.table_id, setting.* exclude (document_id, table_id)
        from (select distinct document_id, table_id from {{ ref("int_published__cell") }}) as layout
        inner join
            {{ ref("published_setting") }} as setting
            on layout.document_id = setting.document_id
            and coalesce(setting.table_id, layout.table_id) = layout.table_id
        qualify
            row_number() over (
                partition by layout.document_id, layout.table_id, setting.factor
                order by setting.table_id nulls last
            )
            = 1

    ),

    said as (

        select
            document_id,
            table_id,
            {% for name in names %}
                max(level) filter (where factor = '{{ name }}') as "{{ name }}",
                max(level) filter (
                    where factor = '{{ name }}' and not must_be_stated
                ) as "default of {{ name }}" {{ "," if not loop.last }}
            {% endfor %}
        from setting
        group by document_id, table_id

    ),

    figure as (

        select
            cell.cell_id,
            cell.document_id,
            cell.table_id,
            cell.printed,
            cell.standard_value,
            cell.value_low * cell.standard_value / nullif(cell.value, 0) as standard_low,
            cell.value_high * cell.standard_value / nullif(cell.value, 0) as standard_high,
            cell.compared_with_machine,
            coalesce(counterpart.run_metric, cell.metric) as metric,
            coalesce(counterpart.standard_unit, cell.standard_unit) as standard_unit,
            coalesce(counterpart.address_space, nullif(cell.address_space, 'total')) as address_space,
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
            end as bases,
            if(cell.is_after_ziip_offload, '_after_offload', '') as offload,
            {% set condition = (
                "nullif(regexp_extract(';' || counterpart.conditions, ';%s=([^;]*)', 1), '')"
            ) %}
            {
                {% for name in names %}
                    '{{ name }}':coalesce(
                        {{ condition | format(name) }},
                        {% if name in columns %}
                            if(counterpart.ignored = '{{ name }}', '*', cast({{ columns[name] }} as varchar)),
                        {% endif %}
                        said."{{ name }}"
                    ) {{ "," if not loop.last }}
                {% endfor %}
            } as levels,
            {
                {% for name in names %}
                    '{{ name }}':if(
                        {{ condition | format(name) }} is null, said."default of {{ name }}", null
                    ) {{ "," if not loop.last }}
                {% endfor %}
            } as defaults
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
        left join said on cell.document_id = said.document_id and cell.table_id = said.table_id
        where cell.standard_value is not null

    )

select
    * exclude (bases, offload, metric),
    concat(metric, unnest(bases), offload) as metric,
    md5(
        concat_ws('|', document_id, table_id, cast(levels as varchar), cast(defaults as varchar))
    ) as setting_id
from figure
