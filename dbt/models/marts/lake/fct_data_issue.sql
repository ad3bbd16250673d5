select * exclude (area)
from {{ ref("int_lake__finding") }}
union all by name
select * replace (coalesce(done, 'shown as recorded') as done, coalesce(affects, []) as affects)
from {{ findings_of_team() }}
