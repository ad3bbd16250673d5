select access.*, record.origin, record.system_id, record.smf_time_local
from {{ ref("stg_mq__protected_access") }} as access
inner join {{ ref("stg_lake__record") }} as record using (source_id, record_no)
