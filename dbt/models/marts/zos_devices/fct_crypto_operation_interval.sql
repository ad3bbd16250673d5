with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 2 and usable and part_no = 1

    ),

    operation as (select * from {{ days(ref("int_zos_devices__crypto_operation")) }})

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    operation.card_kind,
    operation.card_number,
    operation.card_type,
    operation.scope,
    operation.domain,
    operation.engines,
    operation.operation,
    -- A CCA coprocessor counts all operations, and those that generate RSA keys once more.
    operation.operation = 'RSA key generation' as is_included,
    operation.operations,
    {{ per_second("operation.operations", "record.interval_seconds") }} as operations_per_second,
    operation.execution_seconds,
    {{ average_us("operation.execution_seconds", "operation.operations") }} as average_execution_us,
    {{ percent("operation.execution_seconds", "(record.interval_seconds * operation.engines)") }}
    as utilisation_percent
from record
inner join operation using (source_id, record_no)
