-- What the documents claim in prose and these runs decide, those that do not hold first.
select
    document_id,
    metric,
    conditions,
    concat_ws(
        ' ',
        case comparator
            when '~' then 'about' when '<=' then 'at most' when '>=' then 'at least'
            when '<' then 'less than' when '>' then 'more than'
        end,
        format('{:.4g}', coalesce(claimed_low, claimed_high)),
        if(claimed_low < claimed_high, format('to {:.4g}', claimed_high), null)
    ) as said,
    found_low,
    found_high,
    if(unit = 'x', 'times', unit) as unit,
    runs,
    verdict
from marts.fct_claim_on_runs
where campaign = $campaign and origin = $origin and verdict <> 'cannot be judged'
order by verdict, document_id, claim_id
