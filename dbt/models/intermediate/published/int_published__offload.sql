{{ config(materialized="view" if builds_all_days() else "ephemeral") }}

{#- Costs before and after offload are two columns of one table: both cells share all of these. -#}
{%- set same = [
    "table_id",
    "metric",
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
    "file_size_mb",
    "chunk_size_bytes",
    "md5",
    "connection",
    "transfer",
    "address_space",
    "protocol",
    "latency_km",
    "latency_ms_one_way",
    "loss_percent",
    "channels",
    "machine",
    "cpus",
    "cipher",
    "message_size_bytes",
] -%}

with
    cell as (select * from {{ ref("int_published__cell") }} where metric_kind = 'cost'),

    paired as (

        select
            -- ids
            before.cell_id,
            after.cell_id as after_cell_id,

            -- text
            if(
                after.cell_id is null,
                'the document does not split this cost between general processors and zIIPs',
                null
            ) as unavailable_reason,

            -- numerics
            before.value as cost_before_offload,
            after.value as cost_after_offload,
            {{ percent("before.value - after.value", "before.value") }} as offloaded_percent
        from cell as before
        left join
            cell as after on after.is_after_ziip_offload and before.document_id = after.document_id
            {%- for factor in same %}
                and before.{{ factor }} is not distinct from after.{{ factor }}
            {%- endfor %}
        where not before.is_after_ziip_offload

    )

select *
from paired
