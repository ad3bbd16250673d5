with
    claim as (select * from {{ ref("int_published__claim") }}),

    method as (select * from {{ ref("published_claim_method") }}),

    place as (select * from {{ ref("published_claim_place") }}),

    computed as (

        select
            claim_id,
            count(*) as pairs,
            -- "Up to" claims refer to the largest of several figures.
            if(any_value(method) = 'maximum', max(computed_value), min(computed_value)) as computed_low,
            max(computed_value) as computed_high,
            median(computed_value) as computed_median,
            list_sort(list_distinct(flatten(list(cell_ids)))) as evidence_cell_ids,
            bool_or(is_suspect) as rests_on_suspect
        from {{ ref("int_published__claim_pair") }}
        group by claim_id

    ),

    compared as (

        select
            -- ids
            claim.claim_id,
            claim.document_id,
            claim.source_id,
            claim.record_no,
            coalesce(claim.anomaly_ids, []) as anomaly_ids,
            coalesce(computed.evidence_cell_ids, []) as evidence_cell_ids,

            -- text
            'published' as origin,
            claim.metric,
            claim.comparator,
            claim.unit,
            claim.conditions,
            place.place,
            method.method,
            method.basis,
            if(
                computed.claim_id is null,
                coalesce(method.not_computed_reason, 'no published cell bears on it'),
                null
            ) as not_computed_reason,

            -- numerics
            claim.source_line,
            claim.claimed_low,
            claim.claimed_high,
            coalesce(computed.pairs, 0) as pairs,
            computed.computed_low,
            computed.computed_high,
            computed.computed_median,
            if(
                claim.comparator = '~',
                abs(claim.claimed_low) * {{ var("published_about_percent", 10) }} / 100,
                method.tolerance
            ) as tolerance,

            -- booleans
            claim.anomaly_ids is not null as has_anomaly,
            computed.rests_on_suspect
        from claim
        left join place on claim.claim_id = place.claim_id
        left join method on claim.claim_id = method.claim_id
        left join computed on claim.claim_id = computed.claim_id

    ),

    judged as (

        select
            *,
            case
                when computed_high is null
                then null
                when comparator in ('<', '<=')
                then computed_high <= claimed_high + tolerance
                when comparator in ('>', '>=')
                then computed_low >= claimed_low - tolerance
                when comparator in ('=', '~', 'range')
                then computed_low >= claimed_low - tolerance and computed_high <= claimed_high + tolerance
            end as is_within_claim
        from compared

    )

select *
from judged
