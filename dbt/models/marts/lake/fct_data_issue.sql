with issue as (

    {% for area in ["lake", "mq", "runs", "zos_cpu"] %}
    select * from {{ ref('int_' ~ area ~ '__issue') }}
    {{ "union all by name" if not loop.last }}
    {% endfor %}

)

select
    origin,
    source_id,
    record_no,
    kind,
    severity,
    sysplex,
    system_id,
    start_utc,
    end_utc,
    subject,
    run_id,
    found,
    done,
    affects
from issue
