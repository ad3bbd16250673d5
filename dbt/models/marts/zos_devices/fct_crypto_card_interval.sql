with
    record as (

        select *
        from {{ days(ref("int_rmf__record")) }}
        where record_type = 70 and record_subtype = 2 and usable and part_no = 1

    ),

    -- A CCA coprocessor reports its own total, which already includes key generation.
    card as (

        select
            source_id,
            record_no,
            card_kind,
            card_number,
            scope,
            domain,
            min(card_type) as card_type,
            max(engines) as engines,
            sum(operations) as operations,
            sum(execution_seconds) as execution_seconds
        from {{ days(ref("int_zos_devices__crypto_operation")) }}
        where card_kind <> 'CCA coprocessor' or operation = 'all'
        group by source_id, record_no, card_kind, card_number, scope, domain

    )

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    card.card_kind,
    card.card_number,
    card.card_type,
    card.scope,
    card.domain,
    card.engines,
    card.operations,
    {{ per_second("card.operations", "record.interval_seconds") }} as operations_per_second,
    card.execution_seconds,
    {{ average_us("card.execution_seconds", "card.operations") }} as average_execution_us,
    {{ percent("card.execution_seconds", "(record.interval_seconds * card.engines)") }} as utilisation_percent
from record
inner join card using (source_id, record_no)
