{# What the models of coupling facilities, devices, cryptography and hardware counters share. #}

{# Standard deviation of a sample, from its size, its sum and its sum of squares; NULL below two.
   Rounding may bring a deviation of none below zero. #}
{% macro standard_deviation(count, sum, squares) -%}
    case
        -- the greatest of zero and NULL is zero
        when {{ count }} > 1 and {{ sum }} is not null and {{ squares }} is not null
            then sqrt(greatest(
                0,
                (cast({{ squares }} as double) - {{ sum }} * {{ sum }} / {{ count }})
                / ({{ count }} - 1)
            ))
    end
{%- endmacro %}

{# Bytes of 4 KiB blocks, in MiB. #}
{% macro blocks_mib(blocks) -%}
    {{ blocks }} / 256.0
{%- endmacro %}

{# Which requests of a kind a structure had, of the request section's fields: kind, requests,
   time and squares. #}
{% macro cf_request_kinds() -%}
    {{ return([
        ("synchronous", "synchronous_requests", "synchronous_us", "synchronous_us2"),
        ("asynchronous", "asynchronous_requests", "asynchronous_us", "asynchronous_us2"),
        ("changed", "changed_requests", "cast(null as double)", "cast(null as double)"),
    ]) }}
{%- endmacro %}

{# Why requests to a structure are delayed: the reason as people say it, and its columns. #}
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

{# Levels at which the records tell the place of a logical processor in the machine. #}
{% macro nesting_levels() -%}
    {{ return([1, 2, 3, 4, 5, 6]) }}
{%- endmacro %}

{# What the engines in use of an accelerator did together, of a list with an element an engine. #}
{% macro engines_total(elements) -%}
    list_sum(list_slice(cast({{ elements }} as double[]), 1, r7024en))
{%- endmacro %}
