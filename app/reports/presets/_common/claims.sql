-- What the documents claim in prose and these runs decide, those from which the runs differ first.
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
    lowest,
    highest,
    if(unit = 'x', 'times', unit) as unit,
    runs,
    verdict
from marts.fct_claim_on_runs
where campaign = $campaign and origin = $origin and verdict in ('agrees', 'differs')
order by verdict desc, document_id, claim_id
