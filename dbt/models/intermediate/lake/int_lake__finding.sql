{{ config(materialized="table") }}

-- All findings of perfhouse, each with what its kind says where it does not say so itself.
with
    issue as (

        {% for area in ["lake", "mq", "runs", "zos_cpu", "zos_devices"] %}
            select *, '{{ area }}' as area
            from {{ ref("int_" ~ area ~ "__issue") }} {{ "union all by name" if not loop.last }}
        {% endfor %}

    )

select
    issue.* replace (
        coalesce(issue.severity, kind.severity) as severity,
        coalesce(issue.done, kind.done) as done,
        coalesce(issue.affects, string_split_regex(nullif(kind.affects, ''), ', '), []) as affects
    )
from issue
left join {{ ref("data_issue_kind") }} as kind using (area, kind)
