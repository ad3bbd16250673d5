{# Shared by the MQ models. #}

{# The thread correlator, in the same form from either source: the connection time in microseconds
   since 1900 (13 hexadecimal digits, from 0 again in 2042), then two addresses (8 digits each). A
   queue block stores it as 16 bytes, a task block as three fields. #}
{% macro thread_id(started_at, address_1, address_2) -%}
    format('{:013X}', (epoch_us({{ started_at }}) + 2208988800000000) % 4503599627370496)
    || hex({{ address_1 }})
    || hex({{ address_2 }})
{%- endmacro %}

{% macro thread_id_of_correlator(correlator) -%}
    substr(hex({{ correlator }}), 1, 13) || substr(hex({{ correlator }}), 17, 16)
{%- endmacro %}

{# The documented name of a code value, or the number itself if the manual has no name for it. #}
{% macro label_of(code, table, column) -%}
    coalesce(
        (
            select min(known.label)
            from {{ source("meta", "code") }} as known
            where known.table_name = '{{ table }}'
                and known.column_name = '{{ column }}'
                and known.code = {{ code }}
        ),
        cast({{ code }} as varchar)
    )
{%- endmacro %}

{# Some records have an instrumentation header that was never filled in. Trust a header only if its time
   differs from the SMF time by no more than a time zone offset. #}
{% macro is_mq_header_valid(record, product) -%}
    abs(epoch({{ record }}.smf_time_local - {{ product }}.recorded_at_utc)) <= 15 * 3600
{%- endmacro %}

{# Columns that trace every mart row to its record. #}
{% macro record_columns(alias) -%}
    {{ alias }}.origin,
    {{ alias }}.source_id,
    {{ alias }}.record_no,
    {{ alias }}.system_id,
    {{ alias }}.queue_manager,
    {{ alias }}.mq_level
{%- endmacro %}

{% macro interval_columns(alias) -%}
    {{ alias }}.interval_start_utc,
    {{ alias }}.interval_end_utc,
    {{ alias }}.interval_seconds,
    {{ alias }}.utc_offset_minutes
{%- endmacro %}

{# Whether a task can have used this much CPU time in elapsed_seconds. The two clocks are read up to a
   millisecond apart. #}
{% macro possible_cpu(seconds) -%}
    {{ seconds }} between 0 and coalesce(elapsed_seconds + 0.001, 'infinity')
{%- endmacro %}

{# The impossible CPU times of a type 116 record, in words; an empty text if there are none. #}
{% macro impossible_cpu(task, calls) -%}
    concat_ws(
        ', ',
        case
            when not ({{ possible_cpu(task) }}) then format('CPU time {:.6g} s', {{ task }})
        end,
        case
            when not ({{ possible_cpu(calls) }})
                then format('CPU time of MQI calls {:.6g} s', {{ calls }})
        end
    )
{%- endmacro %}

{# Whether two counts of the same things differ by more than 1 % and more than 10. They are not read at
   quite the same moment. #}
{% macro counts_differ(one, other) -%}
    abs(cast({{ one }} as double) - {{ other }}) > greatest(10, 0.01 * greatest({{ one }}, {{ other }}))
{%- endmacro %}

{# Those of a record's durations that are below zero, in words: the ends of the clocks that were subtracted
   are not the same task's. NULL if there are none. #}
{% macro negative_times(fields) -%}
    nullif(
        concat_ws(
            ', ',
            {% for field in fields %}
            case
                when {{ field }} < interval 0 second
                    then format('{{ field | upper }} {:.6g} s', epoch({{ field }}))
            end{{ "," if not loop.last }}
            {% endfor %}
        ),
        ''
    )
{%- endmacro %}
