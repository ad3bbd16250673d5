with
    cell as (select * from {{ ref("int_published__cell") }}),

    configuration as (

        select
            configuration_id,
            document_id,
            source_system,
            target_system,
            target_storage,
            network,
            queue_type,
            zhpf,
            tls,
            ams,
            compression,
            put_to_waiting_getter,
            batch_interval_ms,
            mode,
            chunk_size_bytes,
            md5,
            connection,
            transfer,
            is_after_ziip_offload,
            protocol,
            latency_km,
            latency_ms_one_way,
            loss_percent,
            channels,
            machine,
            compared_with_machine,
            cpus,
            relative_nest_intensity,
            cipher,
            {{ first_record(["cell_id"]) }},
            count(*) as measurements
        from cell
        group by all

    ),

    machines as (select document_id, count(distinct machine) as number from cell group by document_id),

    labelled as (

        select
            -- ids
            configuration.configuration_id,
            configuration.document_id,
            configuration.source_id,
            configuration.record_no,

            -- text
            'published' as origin,
            -- Defaults (private queue, zHPF, no protection) are omitted.
            coalesce(
                nullif(
                    concat_ws(
                        ', ',
                        source_system || ' to ' || concat_ws(' ', target_system, target_storage),
                        mode,
                        network,
                        nullif(queue_type, 'Private'),
                        case
                            when not zhpf
                            then 'without zHPF'
                            when source_system is null and zhpf
                            then 'with zHPF'
                        end,
                        nullif(tls, 'none'),
                        'AMS ' || nullif(ams, 'none'),
                        nullif(compression, 'none'),
                        if(not put_to_waiting_getter, 'no put to waiting getter', null),
                        'BATCHINT ' || nullif(batch_interval_ms, 0),
                        connection,
                        if(is_after_ziip_offload, 'after zIIP offload', null),
                        transfer,
                        if(md5, 'MD5', null),
                        divide(chunk_size_bytes, 1024) || ' KB chunks',
                        protocol,
                        latency_km || ' km',
                        printf('%g', latency_ms_one_way) || ' ms one way',
                        printf('%g', nullif(loss_percent, 0)) || ' % loss',
                        channels || if(channels = 1, ' channel', ' channels'),
                        cipher,
                        relative_nest_intensity || ' RNI',
                        cpus || ' CPUs',
                        if(machines.number > 1, concat_ws(' against ', machine, compared_with_machine), null)
                    ),
                    ''
                ),
                'no factors'
            ) as configuration_label,
            source_system,
            target_system,
            target_storage,
            network,
            queue_type,
            tls,
            ams,
            compression,
            mode,
            connection,
            transfer,
            protocol,
            machine,
            compared_with_machine,
            relative_nest_intensity,
            cipher,

            -- numerics
            batch_interval_ms,
            chunk_size_bytes,
            latency_km,
            latency_ms_one_way,
            loss_percent,
            channels,
            cpus,
            measurements,

            -- booleans
            zhpf,
            put_to_waiting_getter,
            md5,
            is_after_ziip_offload
        from configuration
        left join machines on configuration.document_id = machines.document_id

    )

select *
from labelled
