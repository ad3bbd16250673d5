{% for area in ["lake", "mq", "runs", "zos_cpu", "zos_devices"] %}
    select *
    from {{ ref("int_" ~ area ~ "__issue") }}
    union all by name
{% endfor %}
select * replace (coalesce(done, 'shown as recorded') as done, coalesce(affects, []) as affects)
from {{ findings_of_team() }}
