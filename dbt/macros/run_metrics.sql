{# Figures of runs and their parts: a value, and the least and the most that it can be. One of the macros
   below makes each, and says where its bounds come from; rows of measurements are made of nothing else. A
   bound that is not known is NULL. #}

{% macro figure(value, low, high) -%}
    {{ return({"value": value, "value_low": low, "value_high": high}) }}
{%- endmacro %}

{# What ends the names of columns of a value and of its bounds, with what ends that of which it is less: a
   difference is least if what is taken off is most. #}
{% macro each_bound() -%}
    {{ return({"": "", "_low": "_high", "_high": "_low"}) }}
{%- endmacro %}

{# Columns of a value and its bounds: an expression in which $ ends what makes it greater, and ^ what makes
   it less. #}
{% macro bounded(expression, name) -%}
    {%- for bound, opposite in each_bound().items() %}
    {{ expression.replace("$", bound).replace("^", opposite) }} as {{ name ~ bound }}
    {{- "," if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{# What no interval has a part in. #}
{% macro exact(value) -%}
    {{ return(figure(value, value, value)) }}
{%- endmacro %}

{# A column with its bounds in columns of its own; the unit of its name stays last. #}
{% macro with_bounds(column) -%}
    {%- set stem = column.removesuffix("_us") -%}
    {%- set unit = column[stem | length:] -%}
    {{ return(figure(column, stem ~ "_low" ~ unit, stem ~ "_high" ~ unit)) }}
{%- endmacro %}

{# A sum over intervals_of_runs() of what they count, and a mean of it by what else they count. #}
{% macro sum_in_run(counted, per="1") -%}
    {{ return(figure(
        known_sum("share * " ~ counted) ~ " / " ~ per,
        known_sum(least_in_run(counted)) ~ " / " ~ per,
        known_sum(most_in_run(counted)) ~ " / " ~ per,
    )) }}
{%- endmacro %}

{% macro mean_in_run(counted, weight) -%}
    {%- set above, below = sum_in_run(counted), sum_in_run(weight) -%}
    {{ return(figure(
        ratio(above.value, below.value),
        ratio(above.value_low, below.value_high),
        ratio(above.value_high, below.value_low),
    )) }}
{%- endmacro %}

{# The greatest or least (max, min) of what intervals show: those that a run has in part may show what was
   outside of it. #}
{% macro extreme_in_run(extreme, shown) -%}
    {%- set all = extreme ~ "(" ~ shown ~ ")" -%}
    {%- set whole = all ~ " filter (where share >= 1)" -%}
    {{ return(figure(all, whole, all) if extreme == "max" else figure(all, all, whole)) }}
{%- endmacro %}

{# What is known of whole intervals only, such as the greatest of their means. #}
{% macro of_whole_intervals(value) -%}
    {%- set known = "if(min(share) >= 1, " ~ value ~ ", null)" -%}
    {{ return(figure(value, known, known)) }}
{%- endmacro %}

{# An expression over the columns of resources_used(), in which $ marks what makes it greater and ^ what
   makes it less. A mean is greatest if at least one event was in the run. #}
{% macro of_resource(expression) -%}
    {%- set of = [] -%}
    {%- for greater, less in [("", ""), ("_low", "_high"), ("_high", "_least")] -%}
        {%- do of.append(expression.replace("$", greater).replace("^", less)) -%}
    {%- endfor -%}
    {{ return(figure(of[0], of[1], of[2])) }}
{%- endmacro %}

{# Whether a figure may be compared, if there is one: the rule of every is_compared. #}
{% macro is_narrow(figure) -%}
    coalesce(
        {{ figure.value_high }} - ({{ figure.value_low }})
        <= 2 * {{ usual_noise_percent() }} / 100 * abs({{ figure.value }}),
        {{ figure.value }} is null
    )
{%- endmacro %}

{% macro figure_columns(figure) -%}
    {%- for name, sql in figure.items() %}
    {{ sql }} as {{ name }}{{ "," if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{# Figures as rows (metric, value, value_low, value_high), from pairs (metric, figure). #}
{% macro metric_rows(pairs) -%}
    unnest(
        [
            {%- for metric, figure in pairs %}
            {%- if figure is not mapping %}
                {%- do exceptions.raise_compiler_error(
                    metric ~ " must say its bounds, or that it is exact (macros/run_metrics.sql)"
                ) %}
            {%- endif %}
            {
                'metric': '{{ metric }}'
                {%- for name, sql in figure.items() %},
                '{{ name }}': cast({{ sql }} as double)
                {%- endfor %}
            }
            {{- "," if not loop.last }}
            {%- endfor %}
        ],
        recursive := true
    )
{%- endmacro %}

{# The columns of cpu_columns() that are metrics, as (metric, figure). #}
{% macro cpu_metrics() -%}
    {{ return([
        ("cpu_seconds", with_bounds("cpu_seconds")),
        ("general_purpose_seconds", with_bounds("general_purpose_seconds")),
        ("ziip_eligible_seconds", with_bounds("eligible_seconds")),
        ("cost_per_GB", with_bounds("cost_per_GB")),
        ("cost_per_GB_after_offload", with_bounds("cost_per_GB_after_offload")),
        ("cost_per_transaction", with_bounds("cost_per_transaction_us")),
        (
            "cost_per_transaction_after_offload",
            with_bounds("cost_per_transaction_after_offload_us"),
        ),
        ("ziip_share", with_bounds("ziip_share_percent")),
        ("ziips_needed", with_bounds("ziips_needed")),
    ]) }}
{%- endmacro %}

{# The figures of resources other than processors, as (metric, resource, figure). #}
{% macro resource_metrics() -%}
    {%- set mean = average_us("seconds$", "events^") -%}
    {{ return([
        ("dasd_response_time", "DASD", of_resource(mean)),
        ("cf_service_time", "CF", of_resource(mean)),
        ("log_write_latency", "MQ log", of_resource(mean)),
        ("log_physical_bytes", "MQ log", of_resource("bytes$")),
        ("log_physical_rate", "MQ log", of_resource(per_second("bytes$", "run_seconds"))),
        (
            "log_copy_rate", "MQ log",
            of_resource(per_second("most_bytes$ / 1048576", "work_seconds")),
        ),
        ("NETTIME", "network", of_resource(mean ~ " / 1000")),
    ]) }}
{%- endmacro %}

{# The rows of these figures and of MQ's verbs, by the columns in `by`, from resources_used() as `used`. #}
{% macro resource_rows(by) -%}
    {%- for metric, resource, figure in resource_metrics() %}
    select {{ by | join(", ") }}, '{{ metric }}' as metric, {{ figure_columns(figure) }}
    from used
    where resource = '{{ resource }}'

    union all by name

    {% endfor %}
    select
        {{ by | join(", ") }},
        'cpu_per_' || verb as metric,
        {{ figure_columns(of_resource(average_us("cpu_seconds$", "events^"))) }}
    from used
    where verb is not null
{%- endmacro %}

{# Totals over all objects of a resource, by the columns in `by`: events, seconds, cpu_seconds,
   bytes and most_bytes (of one object) with their bounds, run_seconds and work_seconds. `verb`
   distinguishes MQ verbs. #}
{% macro resources_used(by) -%}
    (
        select
            {% for column in by %}
            used.{{ column }},
            {% endfor %}
            used.resource,
            if(used.resource = 'MQ verb', used.part, null) as verb,
            {% for of in ["", "_low", "_high"] %}
            {{ sum_of_events("used.events" ~ of, "used.events") }} as events{{ of }},
            {{ sum_of_events(
                "used.busy_seconds" ~ of,
                times_of_events("used.resource", "used.busy_seconds", "used.events")
            ) }} as seconds{{ of }},
            {{ sum_of_events("used.cpu_seconds" ~ of, "used.cpu_seconds") }} as cpu_seconds{{ of }},
            {{ sum_of_events("used.bytes_moved" ~ of, "used.events") }} as bytes{{ of }},
            if(count(*) = count(used.events), max(used.bytes_moved{{ of }}), null) as most_bytes{{ of }},
            {% endfor %}
            greatest(1, {{ sum_of_events("used.events_low", "used.events") }}) as events_least,
            any_value(run.seconds) as run_seconds,
            any_value(coalesce(run.work_seconds, run.seconds)) as work_seconds
        from {{ runs(ref('fct_run_resource')) }} as used
        inner join {{ runs(ref('fct_run')) }} as run using (origin, run_id)
        where not used.is_included
        group by all
    )
{%- endmacro %}

{# The columns of a mart of measurements; those in `of` say which part of the run they measure.
   Reads fct_run_price as `price`. network_money: what the network adds to the money of a figure. #}
{% macro measurement_columns(run, measured, of=[], network_money="0") -%}
    -- ids
    {{ run }}.origin,
    {{ run }}.source_id,
    {{ run }}.record_no,
    {{ run }}.run_id,
    {{ run }}.campaign,
    {{ run }}.configuration_id,
    {{ run }}.repetition,
    {% for column in of %}
    {{ column }},
    {% endfor %}

    -- measurement
    {{ measured }}.metric,
    {{ measured }}.value,
    {{ measured }}.value_low,
    {{ measured }}.value_high,
    {{ measured }}.unit,
    {{ measured }}.more_is_better,
    {{ measured }}.is_given,
    case
        when {{ measured }}.unit = 'CPU us'
        then 1e-6 * {{ measured }}.value * price.money_per_cp_second + {{ network_money }}
        when starts_with({{ measured }}.unit, 'CPU ')
        then {{ measured }}.value * price.money_per_cp_second + {{ network_money }}
    end as cost_money,

    -- time and machine
    {{ run }}.start_utc,
    {{ run }}.machine,
    {{ run }}.mq_level,
    {{ run }}.git_revision,
    {{ run }}.is_compared and {{ is_narrow(figure(
        measured ~ ".value", measured ~ ".value_low", measured ~ ".value_high"
    )) }} as is_compared,
    {{ run }}.source_ids
{%- endmacro %}

{# What the network adds to the money of a figure of the whole run. #}
{% macro network_money(metric) -%}
    case
        when starts_with({{ metric }}, 'cost_per_GB')
        then price.network_money / nullif(run.bytes / 1073741824, 0)
        when starts_with({{ metric }}, 'cost_per_transaction')
        then price.network_money / nullif(run.transactions, 0)
        when {{ metric }} in ('cpu_seconds', 'workload_seconds', 'workload_seconds_after_offload')
        then price.network_money
        else 0
    end
{%- endmacro %}
