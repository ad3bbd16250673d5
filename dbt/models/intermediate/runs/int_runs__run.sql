select * exclude (refused)
from {{ ref('int_runs__declared') }}
where refused is null
