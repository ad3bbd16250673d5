with
    figure as (

        select
            claim_id,
            origin,
            campaign,
            min(record) as record,
            any_value(method) as method,
            count(*) as pairs,
            cast(sum(len(candidate_values) + len(baseline_values)) as bigint) as runs,
            min(value) as lowest,
            max(value) as highest,
            median(value) as median,
            list_sort(list_distinct(flatten(list(configuration_ids)))) as configuration_ids
        from {{ ref("claim_figure") }}
        group by claim_id, origin, campaign

    )

select
    -- ids
    coalesce(figure.origin, claim.origin) as origin,
    coalesce(figure.record.source_id, claim.source_id) as source_id,
    coalesce(figure.record.record_no, claim.record_no) as record_no,
    claim.claim_id,
    claim.document_id,
    figure.campaign,
    coalesce(figure.configuration_ids, []) as configuration_ids,

    -- claim
    claim.metric,
    claim.conditions,
    claim.comparator,
    claim.claimed_low,
    claim.claimed_high,
    claim.unit,

    -- runs
    figure.method,
    coalesce(figure.pairs, 0) as pairs,
    coalesce(figure.runs, 0) as runs,
    figure.lowest,
    figure.highest,
    figure.median,
    coalesce(judged.verdict, 'not judged') as verdict,
    judged.held_against,
    judged.estimate,
    judged.low,
    judged.high,
    100 * judged.noise as noise_percent,
    judged.noise_source,
    case
        when judged.claim_id is not null
        then judged.reason
        when
            claim.claim_id in (select claim_id from {{ ref("published_claim_run") }})
            or claim.claim_id in (select claim_id from {{ ref("published_claim_evidence") }})
        then coalesce(method.not_computed_reason, 'no run has its conditions')
        else coalesce(method.not_computed_reason, 'it is about no metric of runs')
    end as reason
from {{ ref("fct_published_claim") }} as claim
left join figure using (claim_id)
left join
    {{ ref("claim_verdict") }} as judged
    on figure.claim_id = judged.claim_id
    and figure.origin = judged.origin
    and figure.campaign = judged.campaign
left join {{ ref("published_claim_method") }} as method on claim.claim_id = method.claim_id
