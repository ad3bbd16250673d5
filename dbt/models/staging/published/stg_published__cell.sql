with
    source as (select * from {{ source("published", "published_cell") }}),

    renamed as (

        select
            -- ids
            cell_id,
            document as document_id,
            source_id,
            record_no,
            cast(string_split(anomalies, ';') as bigint[]) as anomaly_ids,

            -- text
            table_id,
            section,
            row_label,
            source as source_system,
            target as target_system,
            target_printed,
            target_storage,
            network,
            queue as queue_type,
            if(tls = 'N', 'none', tls) as tls,
            if(ams = 'N', 'none', ams) as ams,
            if(compmsg = 'N', 'none', compmsg) as compression,
            mode,
            chunk_size_printed,
            connection,
            transfer,
            address_space,
            protocol,
            machine,
            compared_with as compared_with_machine,
            rni as relative_nest_intensity,
            cipher,
            message_size,
            metric,
            unit,
            printed,
            value_kind,
            note,

            -- numerics
            source_line,
            batchint as batch_interval_ms,
            file_size_mb,
            chunk_size as chunk_size_bytes,
            latency_km,
            latency_ms_oneway as latency_ms_one_way,
            loss_pct as loss_percent,
            channels,
            cpus,
            message_size_bytes,
            value,
            value_low,
            value_high,

            -- booleans
            zhpf = 'Y' as zhpf,
            p2wg = 'Y' as put_to_waiting_getter,
            md5 = 'Y' as md5,
            coalesce(ziip_offload = 'Y', false) as is_after_ziip_offload
        from source

    )

select *
from renamed
