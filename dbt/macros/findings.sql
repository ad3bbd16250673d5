{# Findings about the data, which become rows of int_lake__finding and fct_data_issue.

   A model of findings starts with the CTEs that they share. Then come `findings()` and one call per
   finding, whose kind is a row of the seed data_issue_kind:

       {% call finding("no_type_70") %}
       select origin, source_id, record_no, ... as found from ...
       {% endcall %}

   A row is one finding. It needs origin, source_id, record_no and found (what was found, with figures);
   sysplex, system_id, start_utc, end_utc, subject and run_id are NULL if left out. severity, done and
   affects are those of the kind, unless the query selects them. #}
{% macro findings() -%}
select
    cast(null as varchar) as origin,
    cast(null as varchar) as source_id,
    cast(null as bigint) as record_no,
    cast(null as varchar) as kind,
    cast(null as varchar) as severity,
    cast(null as varchar) as sysplex,
    cast(null as varchar) as system_id,
    cast(null as timestamp) as start_utc,
    cast(null as timestamp) as end_utc,
    cast(null as varchar) as subject,
    cast(null as varchar) as run_id,
    cast(null as varchar) as found,
    cast(null as varchar) as done,
    cast(null as varchar []) as affects
where false
{%- endmacro %}

{# A finding. Those of a team have no kind in the seed, and say themselves how severe they are (error,
   warning or note), what is done about them and which figures they affect (docs/team-models.md). #}
{% macro finding(kind, severity=none, done=none, affects=none) -%}
union all by name
select
    {{ quoted(kind) }} as kind,
    {% if severity is not none %}{{ quoted(severity) }} as severity,{% endif %}
    {% if done is not none %}{{ quoted(done) }} as done,{% endif %}
    {% if affects is not none %}cast([{% for one in affects %}{{ quoted(one) }}, {% endfor %}] as varchar []) as affects,{% endif %}
    *
from ({{ caller() }})
{%- endmacro %}

{# What findings about a record and its interval have in common. #}
{% macro interval_of(alias) -%}
    {{ alias }}.origin,
    {{ alias }}.source_id,
    {{ alias }}.record_no,
    {{ alias }}.sysplex,
    {{ alias }}.system_id,
    {{ alias }}.interval_start_utc as start_utc,
    {{ alias }}.interval_end_utc as end_utc
{%- endmacro %}

{# The same for the interval of a queue manager, whose records do not name a sysplex. #}
{% macro queue_manager_interval_of(alias) -%}
    {{ alias }}.origin,
    {{ alias }}.source_id,
    {{ alias }}.record_no,
    {{ alias }}.system_id,
    {{ alias }}.interval_start_utc as start_utc,
    {{ alias }}.interval_end_utc as end_utc,
    {{ alias }}.queue_manager as subject
{%- endmacro %}

{# A finding about runs, in a model with a CTE `run` (int_runs__run). The query selects origin, run_id,
   found, and sysplex, system_id and subject if it has them. #}
{% macro run_finding(kind) -%}
{% set about = caller() %}
{% call finding(kind) %}
select
    about.*,
    run.source_id,
    run.record_no,
    run.start_utc,
    run.stop_utc as end_utc
from ({{ about }}) as about
inner join run using (origin, run_id)
{% endcall %}
{%- endmacro %}
