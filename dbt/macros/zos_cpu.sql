{# Shared by the models of processors, workload activity and address spaces. #}

{# A value, or NULL if the record flags it as invalid. #}
{% macro unless(flag, value) -%}
    case when not coalesce({{ flag }}, false) then {{ value }} end
{%- endmacro %}

{# The usual name of a processor type, from RMF's name. #}
{% macro processor_type(name) -%}
    case {{ name }}
        when 'IIP' then 'zIIP'
        when 'IFA' then 'zAAP'
        when 'AAP' then 'zAAP'
        else {{ name }}
    end
{%- endmacro %}

{# CPU seconds from service units, which are weighted by 1/10000 of the service coefficient; one
   unit at coefficient 1 takes adjustment / 16 microseconds. With a coefficient of zero there are no
   units, whatever was used. Where the coefficient is not recorded, zero service is zero seconds. #}
{% macro service_seconds(service, adjustment, coefficient) -%}
    case
        when {{ coefficient }} = 0 then null
        when {{ service }} = 0 then 0.0
        else {{ service }} * cast({{ adjustment }} as double) / (1600 * {{ coefficient }})
    end
{%- endmacro %}

{# A difference that only rounding can make negative, with zero as the least. NULL stays NULL, unlike with
   greatest(). #}
{% macro not_negative(difference) -%}
    case when {{ difference }} < 0 then 0.0 else {{ difference }} end
{%- endmacro %}

{# Standard deviation from a sum, a sum of squares and a count. #}
{% macro deviation(total, squares, count) -%}
    sqrt({{ not_negative(
        squares ~ " / nullif(" ~ count ~ ", 0) - power(" ~ total ~ " / nullif(" ~ count ~ ", 0), 2)"
    ) }})
{%- endmacro %}

{# zIIP-eligible CPU time, wherever it ran, as a percentage of all CPU time. Both are normalised to
   CP speed. #}
{% macro eligible_percent(alias) -%}
    {{ percent(
        alias ~ ".ziip_cp_equivalent_seconds + " ~ alias ~ ".ziip_on_cp_seconds",
        alias ~ ".general_purpose_seconds + " ~ alias ~ ".ziip_cp_equivalent_seconds",
    ) }}
{%- endmacro %}

{# CPU time on zIIPs as a percentage of all CPU time. Both are normalised to CP speed. #}
{% macro offloaded_percent(alias) -%}
    {{ percent(
        alias ~ ".ziip_cp_equivalent_seconds",
        alias ~ ".general_purpose_seconds + " ~ alias ~ ".ziip_cp_equivalent_seconds",
    ) }}
{%- endmacro %}

{# CPU seconds by kind and counts of an SMF 30 record: the columns for which cumulative records yield
   differences. #}
{% macro address_space_measures() -%}
    {{ return([
        "tcb_seconds", "srb_seconds", "initiator_seconds", "io_interrupt_seconds",
        "region_control_seconds", "hiperspace_seconds", "preemptable_srb_seconds",
        "independent_enclave_seconds", "dependent_enclave_seconds", "ziip_seconds",
        "ziip_enclave_seconds", "ziip_on_cp_seconds", "blocks", "dasd_requests",
        "dasd_connect_seconds", "page_ins",
    ]) }}
{%- endmacro %}

{# Whether a time exceeds the time available by more than clocks differ: 1 % and a tenth of a second.
   False if that is zero, as old machines do not record it, or unknown. #}
{% macro exceeds(seconds, limit) -%}
    coalesce({{ limit }} > 0 and {{ seconds }} > 1.01 * ({{ limit }}) + 0.1, false)
{%- endmacro %}

{# The sum of a column; NULL if another column marks any of the rows as impossible. #}
{% macro possible_sum(column, impossible) -%}
    case when count({{ impossible }}) = 0 then sum({{ column }}) end
{%- endmacro %}

{# Whether a kind of CPU time of an address space is impossible: below zero, or more than the system's
   processors can deliver in interval_seconds. If their number is unknown, assume more than any z/OS
   has. #}
{% macro impossible_time(measure, most) -%}
    (
        coalesce({{ measure }} < 0, false)
        or {{ exceeds(measure, "interval_seconds * coalesce(nullif(" ~ most ~ ", 0), 512)") }}
    )
{%- endmacro %}

{# What an address space is, by the program that its step began with; NULL for any other program. #}
{% macro address_space_role(program) -%}
    {%- set programs = {
        "CSQYASCP": "queue manager", "CSQXJST": "channel initiator", "CSQ0DSRV": "AMS",
        "DSNYASCP": "Db2", "DXRRLM00": "IRLM", "DFHSIP": "CICS", "DFSMVRC0": "IMS",
        "EZBTCPIP": "TCP/IP", "ISTINM01": "VTAM", "HASJES20": "JES2", "ERBMFMFC": "RMF",
        "ERB3GMFC": "RMF Monitor III", "BPXINIT": "z/OS UNIX", "GLZB": "zCX",
    } -%}
    case {{ program }}
        {%- for name, role in programs.items() %}
        when '{{ name }}' then '{{ role }}'
        {%- endfor %}
    end
{%- endmacro %}
