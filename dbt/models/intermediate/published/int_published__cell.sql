{#- The factors of a configuration. File and message size belong to the workload instead. -#}
{%- set factors = [
    "document_id",
    "source_system",
    "target_system",
    "target_storage",
    "network",
    "queue_type",
    "zhpf",
    "tls",
    "ams",
    "compression",
    "put_to_waiting_getter",
    "batch_interval_ms",
    "mode",
    "chunk_size_bytes",
    "md5",
    "connection",
    "transfer",
    "is_after_ziip_offload",
    "protocol",
    "latency_km",
    "latency_ms_one_way",
    "loss_percent",
    "channels",
    "machine",
    "compared_with_machine",
    "cpus",
    "relative_nest_intensity",
    "cipher",
] -%}

with
    cell as (

        -- If a figure was loaded again with different content, keep the last version.
        select cell.*
        from {{ ref("stg_published__cell") }} as cell
        left join {{ ref("stg_lake__load") }} as load using (source_id)
        qualify
            row_number() over (
                partition by cell.cell_id order by load.loaded_at_utc desc nulls last, cell.source_id asc
            )
            = 1

    ),

    document as (select * from {{ ref("int_published__document") }}),

    metric as (select * from {{ ref("published_metric") }}),

    unit as (select * from {{ ref("run_unit") }}),

    anomaly as (

        select
            link.cell_id,
            string_agg(anomaly.finding, '; ' order by anomaly.anomaly_id) as anomaly_note,
            bool_or(anomaly.affects_value) as is_suspect
        from (select cell_id, unnest(anomaly_ids) as anomaly_id from cell) as link
        inner join {{ ref("int_published__anomaly") }} as anomaly using (anomaly_id)
        group by link.cell_id

    ),

    joined as (

        select
            cell.* replace (coalesce(cell.machine, document.machine) as machine),
            metric.metric_kind,
            unit.standard_unit,
            anomaly.anomaly_note,
            cell.value * unit.factor as standard_value,
            metric.more_is_better,
            coalesce(anomaly.is_suspect, false) as is_suspect
        from cell
        left join document on cell.document_id = document.document_id
        left join metric on cell.metric = metric.metric
        left join unit on cell.unit = unit.unit
        left join anomaly on cell.cell_id = anomaly.cell_id

    ),

    identified as (

        select
            joined.*,
            md5(
                concat_ws(
                    '|'
                    {%- for factor in factors %}, coalesce(cast({{ factor }} as varchar), '') {%- endfor %}
                )
            ) as configuration_id
        from joined

    )

select *
from identified
