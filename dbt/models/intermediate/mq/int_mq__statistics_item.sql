{{ config(materialized="view" if builds_all_days() else "ephemeral") }}

-- What an MQ statistics record reports on, and no other record of its interval should.
select source_id, record_no, 'buffer pool ' || buffer_pool as item
from {{ source("staging", "mq__buffer_pool") }}
union all
select source_id, record_no, 'page set ' || page_set as item
from {{ source("staging", "mq__page_set") }}
union all
select source_id, record_no, concat_ws(' ', 'queue', queue_name, cf_structure_name) as item
from {{ source("staging", "mq__queue") }}
-- The block of the DNS task is not initialised while the task is idle.
{% for task_type in ["dispatcher", "adapter", "ssl"] %}
    union all
    select source_id, record_no, '{{ task_type }} ' || task_number as item
    from {{ source("staging", "mq__" ~ task_type ~ "_task") }}
{% endfor %}
