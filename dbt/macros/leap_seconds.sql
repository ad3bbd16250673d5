{# Clocks that count leap seconds. Those of processors do where CVTLSO is set; local times do not.
   Local times differ from UTC by whole quarters of an hour. #}

{# Local time less UTC, in minutes, from a moment that is known in both. #}
{% macro offset_minutes(local, utc) -%}
    cast(15 * round(epoch({{ local }} - ({{ utc }})) / 900) as integer)
{%- endmacro %}

{# How far a moment of the clock is ahead of the same one in local time, in seconds; the difference
   between the two less whole quarters of an hour. #}
{% macro ahead_seconds(utc, local) -%}
    epoch({{ utc }} - {{ local }}) - 900 * round(epoch({{ utc }} - {{ local }}) / 900)
{%- endmacro %}

{# Whether the clock of a group of rows counts leap seconds: all are ahead by the same time, of which
   the latest moment of writing may take some off. #}
{% macro counts_leap_seconds(ahead) -%}
    min({{ ahead }}) >= 20 and max({{ ahead }}) <= least(40, min({{ ahead }}) + 2)
{%- endmacro %}

{# The systems whose clock counts leap seconds, by day: origin, sysplex (where `by` has it), system_id,
   day_utc and leap_seconds. `moment` is of the clock, `local` the same in local time or, where `latest`,
   up to two seconds later. #}
{% macro clocks_ahead(relation, moment, local, by="origin, system_id", latest=true) -%}
select
    {{ by }},
    cast({{ moment }} as date) as day_utc,
    round({{ "max" if latest else "median" }}(ahead_seconds)) as leap_seconds
from (select *, {{ ahead_seconds(moment, local) }} as ahead_seconds from {{ relation }})
where ahead_seconds is not null
group by all
having {{ counts_leap_seconds("ahead_seconds") }}
{%- endmacro %}

{# A moment of the clock in UTC; `clock` has leap_seconds, NULL if it does not count them. #}
{% macro in_utc(moment, clock) -%}
    {{ moment }} - to_seconds(coalesce({{ clock }}.leap_seconds, 0))
{%- endmacro %}
