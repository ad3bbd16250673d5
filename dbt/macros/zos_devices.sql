{# Shared by the models of coupling facilities, devices, cryptography and hardware counters. #}

{# Sample standard deviation from a count, a sum and a sum of squares; NULL for fewer than two
   values. Rounding can make a variance of zero slightly negative. #}
{% macro standard_deviation(count, sum, squares) -%}
    case
        -- greatest(0, NULL) is 0
        when {{ count }} > 1 and {{ sum }} is not null and {{ squares }} is not null
            then sqrt(greatest(
                0,
                (cast({{ squares }} as double) - {{ sum }} * {{ sum }} / {{ count }})
                / ({{ count }} - 1)
            ))
    end
{%- endmacro %}

{# MB in a number of blocks of 4 KB. #}
{% macro blocks_mb(blocks) -%}
    {{ blocks }} / 256.0
{%- endmacro %}

{# Kinds of requests to a structure, as (kind, requests, time, sum of squares): columns of the
   request section. #}
{% macro cf_request_kinds() -%}
    {{ return([
        ("synchronous", "synchronous_requests", "synchronous_us", "synchronous_us2"),
        ("asynchronous", "asynchronous_requests", "asynchronous_us", "asynchronous_us2"),
        ("changed", "changed_requests", "cast(null as double)", "cast(null as double)"),
    ]) }}
{%- endmacro %}

{# Why requests to a structure are delayed, as (reason, prefix of its columns). #}
{% macro cf_delay_reasons() -%}
    {{ return([
        ("no subchannel", "queued"),
        ("dump", "dump"),
        ("peer subchannel", "peer_subchannel"),
        ("peer subchannel, reserve held", "peer_reserve"),
        ("peer completion", "peer_completion"),
        ("primary not complete", "primary"),
        ("monopolization", "monopolization"),
    ]) }}
{%- endmacro %}

{# Levels of the machine's topology at which records locate a logical processor. #}
{% macro nesting_levels() -%}
    {{ return([1, 2, 3, 4, 5, 6]) }}
{%- endmacro %}

{# Total over the engines in use of an accelerator, from a list with one element per engine. #}
{% macro engines_total(elements) -%}
    list_sum(list_slice(cast({{ elements }} as double[]), 1, r7024en))
{%- endmacro %}

{# Whether a workload is of the class in a row `threshold` of the seed hardware_rni_class. #}
{% macro in_rni_class(l1_miss_percent, rni) -%}
    {{ l1_miss_percent }} >= threshold.l1mp_from
    and {{ l1_miss_percent }} < coalesce(threshold.l1mp_below, 'infinity'::double)
    and {{ rni }} >= threshold.rni_from
    and {{ rni }} < coalesce(threshold.rni_below, 'infinity'::double)
{%- endmacro %}
