with
    evidence as (select * from {{ ref("published_claim_evidence") }}),

    method as (select * from {{ ref("published_claim_method") }} where method is not null),

    cell as (select * from {{ ref("int_published__cell") }}),

    claim as (select * from {{ ref("int_published__claim") }}),

    paired as (

        select
            evidence.claim_id,
            evidence.pair_no,
            list(evidence.cell_id order by evidence.cell_id) as cell_ids,
            max(cell.value) filter (where evidence.role = 'candidate') as candidate,
            max(cell.value) filter (where evidence.role = 'baseline') as baseline,
            max(cell.standard_value) filter (where evidence.role = 'candidate') as standard_candidate,
            max(cell.standard_value) filter (where evidence.role = 'baseline') as standard_baseline,
            max(cell.file_size_mb) as file_size_mb,
            product(cell.value) filter (where evidence.role = 'factor') as factors,
            max(claim.claimed_low) as claimed_share_percent,
            bool_or(cell.is_suspect) as is_suspect
        from evidence
        left join cell on evidence.cell_id = cell.cell_id
        left join claim on evidence.share_claim_id = claim.claim_id
        group by evidence.claim_id, evidence.pair_no
        -- Compute a figure only if all of its cells are loaded.
        having count(cell.cell_id) = count(*)

    ),

    computed as (

        select
            paired.claim_id,
            paired.pair_no,
            paired.cell_ids,
            method.method,
            case
                method.method
                when 'volume'
                then candidate * file_size_mb / 1024
                when 'product'
                then factors * scale
                when 'percent_of'
                then {{ percent("standard_candidate", "standard_baseline") }}
                -- Assumes that offload leaves the candidate and the baseline with the same cost.
                when 'implied_ziip_percent'
                then 100 - {{ percent("baseline * (100 - claimed_share_percent) / 100", "candidate") }}
                else {{ claim_value("method.method", "candidate", "baseline", "scale") }}
            end as computed_value,
            paired.is_suspect
        from paired
        inner join method on paired.claim_id = method.claim_id

    )

select *
from computed
