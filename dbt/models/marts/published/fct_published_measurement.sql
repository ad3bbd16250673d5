with
    cell as (select * from {{ ref("int_published__cell") }}),

    configuration as (

        select configuration_id, configuration_label from {{ ref("dim_published_configuration") }}

    ),

    measured as (

        select
            -- ids
            cell.cell_id,
            cell.document_id,
            cell.configuration_id,
            cell.source_id,
            cell.record_no,
            coalesce(cell.anomaly_ids, []) as anomaly_ids,

            -- text
            'published' as origin,
            cell.table_id,
            cell.section,
            cell.row_label,
            configuration.configuration_label,
            cell.metric,
            cell.metric_kind,
            cell.unit,
            cell.standard_unit,
            cell.printed,
            cell.value_kind,
            cell.source_system,
            cell.target_system,
            cell.target_printed,
            cell.target_storage,
            cell.network,
            cell.queue_type,
            cell.tls,
            cell.ams,
            cell.compression,
            cell.mode,
            cell.chunk_size_printed,
            cell.connection,
            cell.transfer,
            cell.address_space,
            cell.protocol,
            cell.machine,
            cell.compared_with_machine,
            cell.relative_nest_intensity,
            cell.cipher,
            cell.message_size,
            cell.anomaly_note,
            cell.note,

            -- numerics
            cell.source_line,
            cell.file_size_mb,
            cell.message_size_bytes,
            cell.batch_interval_ms,
            cell.chunk_size_bytes,
            cell.latency_km,
            cell.latency_ms_one_way,
            cell.loss_percent,
            cell.channels,
            cell.cpus,
            cell.value,
            cell.value_low,
            cell.value_high,
            cell.standard_value,

            -- booleans
            cell.more_is_better,
            cell.anomaly_ids is not null as has_anomaly,
            cell.is_suspect,
            cell.zhpf,
            cell.put_to_waiting_getter,
            cell.md5,
            cell.is_after_ziip_offload
        from cell
        left join configuration on cell.configuration_id = configuration.configuration_id

    )

select *
from measured
