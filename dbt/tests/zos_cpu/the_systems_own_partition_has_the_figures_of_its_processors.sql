-- Dispatch times only: how long allocated processors were busy comes from different sections.
with
    partition as (

        select source_id, record_no, processor_type, dispatch_seconds, effective_seconds
        from {{ ref("fct_lpar_interval") }}
        where own_partition

    )

select
    processor.source_id,
    processor.record_no,
    processor.processor_type,
    processor.dispatch_seconds,
    partition.dispatch_seconds as partition_dispatch_seconds
from {{ ref("fct_processor_interval") }} as processor
inner join partition using (source_id, record_no, processor_type)
where
    {{ differs("processor.dispatch_seconds", "partition.dispatch_seconds") }}
    or {{ differs("processor.effective_seconds", "partition.effective_seconds") }}
