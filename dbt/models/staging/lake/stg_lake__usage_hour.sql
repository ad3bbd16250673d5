select * exclude (puts), puts as messages_put, regexp_extract(source_id, '^hours-([a-z]+)', 1) as origin
from {{ source("lake", "usage_hour") }}
-- A later roll-up of an hour has everything that an earlier one had, plus late records.
qualify
    row_number() over (
        partition by origin, hour_utc, subject, sysplex, system_id, queue_manager, name
        order by source_id desc
    )
    = 1
