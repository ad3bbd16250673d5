-- Every family of records begins here, so that all of them count the same copy of a record.
select record.* exclude (content_hash), load.origin, load.load_no
from {{ source("staging", "smf__record") }} as record
inner join {{ ref("stg_lake__load") }} as load using (source_id)
anti join {{ ref("stg_lake__copy") }} as copy using (source_id, record_no)
