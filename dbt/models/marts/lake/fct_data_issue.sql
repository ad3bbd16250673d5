select * exclude (area)
from {{ ref("int_lake__finding") }}
union all by name
select
    * exclude (left_out) replace (
        coalesce(done, 'shown as recorded') as done, coalesce(affects, []) as affects
    )
from {{ ref("int_lake__team_finding") }}
where left_out is null
