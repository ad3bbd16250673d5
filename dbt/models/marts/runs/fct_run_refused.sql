select origin, source_id, record_no, run_id, campaign, start_utc, stop_utc, lpars, refused
from {{ ref("int_runs__declared") }}
where refused is not null and not starts_with(refused, 'repeats')
