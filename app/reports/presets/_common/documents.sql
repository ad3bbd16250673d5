-- The published documents whose figures stand beside the runs'.
select document_id, title, citation
from marts.dim_published_document
where document_id in (
    select document_id from marts.fct_run_against_published
    where campaign = $campaign and origin = $origin
)
order by document_id
