-- A CCA coprocessor records its total; the totals of other cards are sums over kinds of operation.
with
    by_kind as (

        select
            source_id,
            record_no,
            card_kind,
            card_number,
            scope,
            domain,
            {{ sums(["operations", "execution_seconds"]) }}
        from {{ ref("fct_crypto_operation_interval") }}
        where not is_included
        group by all

    )

select card.source_id, card.record_no, card.card_kind, card.card_number
from {{ ref("fct_crypto_card_interval") }} as card
left join
    by_kind
    on card.source_id = by_kind.source_id
    and card.record_no = by_kind.record_no
    and card.card_kind = by_kind.card_kind
    and card.card_number = by_kind.card_number
    and card.scope is not distinct from by_kind.scope
    and card.domain is not distinct from by_kind.domain
where
    by_kind.operations_known
    and {{ differs("card.operations", "by_kind.operations") }}
    or by_kind.execution_seconds_known
    and {{ differs("card.execution_seconds", "by_kind.execution_seconds", "by_kind.execution_seconds_size") }}
