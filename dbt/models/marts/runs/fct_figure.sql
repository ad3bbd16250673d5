-- The figures behind comparison tables: those of complete runs as a whole, and published ones.
with
    run as (

        select
            measurement.origin,
            measurement.source_id,
            measurement.record_no,
            measurement.campaign,
            cast(null as varchar) as document_id,
            cast(null as varchar) as section,
            measurement.git_revision,
            cast(null as varchar) as address_space,
            measurement.metric,
            measurement.unit,
            measurement.value,
            measurement.more_is_better,
            configuration.machine,
            configuration.mq_level,
            {% for name, _ in run_factors() %} configuration."{{ name }}", {% endfor %}
            configuration.x_factors,
            epoch_us(measurement.start_utc) as order_no
        from {{ ref("fct_measurement") }} as measurement
        inner join {{ ref("dim_configuration") }} as configuration using (configuration_id)
        where measurement.is_compared

    ),

    -- Skip published changes and expectations: they compare two machines and have no single
    -- configuration.
    cell as (

        select * replace (if(is_after_ziip_offload, metric || '_after_offload', metric) as metric)
        from {{ ref("int_published__cell") }}
        where standard_value is not null and compared_with_machine is null

    ),

    published as (

        select
            'published' as origin,
            cell.source_id,
            cell.record_no,
            cast(null as varchar) as campaign,
            cell.document_id,
            cell.section,
            cast(null as varchar) as git_revision,
            nullif(cell.address_space, 'total') as address_space,
            cell.metric,
            coalesce(own.unit, cell.unit) as unit,
            if(coalesce(own.unit = cell.unit, true), cell.value, cell.standard_value / own.factor) as value,
            coalesce(metric.more_is_better, cell.more_is_better) as more_is_better,
            cell.machine,
            cast(null as varchar) as mq_level,
            {% set told = dict(published_levels()) %}
            {% for name, type in run_factors() %}
                cast(
                    {{ "cell.message_size" if name == "message_size" else told.get(name, "null") }}
                    as {{ type }}
                ) as "{{ name }}",
            {% endfor %}
            cast(map{} as map(varchar, varchar)) as x_factors,
            cell.cell_id as order_no
        from cell
        left join {{ ref("run_metric") }} as metric on cell.metric = metric.metric
        -- Convert to the metric's own unit if the published unit allows it.
        left join
            {{ ref("run_unit") }} as own on metric.unit = own.unit and cell.standard_unit = own.standard_unit

    )

select *
from run
union all by name
select *
from published
