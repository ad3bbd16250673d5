{# What the models of processors, workload activity and address spaces share. #}

{# A value that the record does not declare invalid. #}
{% macro unless(flag, value) -%}
    case when not coalesce({{ flag }}, false) then {{ value }} end
{%- endmacro %}

{# RMF's name of a kind of processor, as people say it. #}
{% macro processor_type(name) -%}
    case {{ name }}
        when 'IIP' then 'zIIP'
        when 'IFA' then 'zAAP'
        when 'AAP' then 'zAAP'
        else {{ name }}
    end
{%- endmacro %}

{# CPU seconds of service units, which are weighted by 1/10000 of the service coefficient; one unit
   at coefficient 1 takes adjustment / 16 microseconds. No service is no time, whatever it is. #}
{% macro service_seconds(service, adjustment, coefficient) -%}
    case
        when {{ service }} = 0 then 0.0
        else {{ service }} * cast({{ adjustment }} as double) / nullif(1600 * {{ coefficient }}, 0)
    end
{%- endmacro %}

{# A difference that only rounding can make negative; NULL stays NULL, unlike with greatest(). #}
{% macro not_negative(difference) -%}
    case when {{ difference }} < 0 then 0.0 else {{ difference }} end
{%- endmacro %}

{# The standard deviation of which the sum and the sum of squares are known. #}
{% macro deviation(total, squares, count) -%}
    sqrt({{ not_negative(
        squares ~ " / nullif(" ~ count ~ ", 0) - power(" ~ total ~ " / nullif(" ~ count ~ ", 0), 2)"
    ) }})
{%- endmacro %}

{# Of all CPU time, at the speed of CPs: what zIIPs could do, wherever it ran. #}
{% macro eligible_percent(alias) -%}
    {{ percent(
        alias ~ ".ziip_cp_equivalent_seconds + " ~ alias ~ ".ziip_on_cp_seconds",
        alias ~ ".general_purpose_seconds + " ~ alias ~ ".ziip_cp_equivalent_seconds",
    ) }}
{%- endmacro %}

{# Of all CPU time, at the speed of CPs: what zIIPs did. #}
{% macro offloaded_percent(alias) -%}
    {{ percent(
        alias ~ ".ziip_cp_equivalent_seconds",
        alias ~ ".general_purpose_seconds + " ~ alias ~ ".ziip_cp_equivalent_seconds",
    ) }}
{%- endmacro %}

{# CPU seconds of an SMF 30 record by kind, and its counts: what a cumulative record gives as a
   difference. #}
{% macro address_space_measures() -%}
    {{ return([
        "tcb_seconds", "srb_seconds", "initiator_seconds", "io_interrupt_seconds",
        "region_control_seconds", "hiperspace_seconds", "preemptable_srb_seconds",
        "independent_enclave_seconds", "dependent_enclave_seconds", "ziip_seconds",
        "ziip_enclave_seconds", "ziip_on_cp_seconds", "blocks", "dasd_requests",
        "dasd_connect_seconds", "page_ins",
    ]) }}
{%- endmacro %}
