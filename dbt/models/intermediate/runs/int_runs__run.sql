select * exclude (refused, overlapped) from {{ ref("int_runs__declared") }} where refused is null
