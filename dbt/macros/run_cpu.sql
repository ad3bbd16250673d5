{# CPU time and costs of runs and their parts. #}

{# A sum that is NULL if any of its terms is: an unknown part makes the whole unknown. #}
{% macro known_sum(term) -%}
    case when count(*) = count({{ term }}) then sum({{ term }}) end
{%- endmacro %}

{# A sum over rows that each count events; NULL if a count is unknown. Rows without the figure, such as
   the service time of an idle structure, are left out. #}
{% macro sum_of_events(term, events="events") -%}
    case when count(*) = count({{ events }}) then sum({{ term }}) end
{%- endmacro %}

{# What must be known for a sum of times: of MQ's calls and waits, each of the times. #}
{% macro times_of_events(resource, seconds, events) -%}
    if({{ resource }} in ('MQ verb', 'MQ wait'), {{ seconds }}, {{ events }})
{%- endmacro %}

{# The least and the most of an interval's figure that can belong to a run with the fraction `share` of
   the interval. Outside the run, at most all processors were busy all the time, and likewise inside.
   `most` is what the processors can deliver in the whole interval, NULL where nothing sets a limit, as to
   counts; `inside` and `outside` are what is known of either part. NULL if the figure is.
   docs/cost-method.md has a drawing. #}
{% macro least_in_run(figure, most="null", inside="0", share="share") -%}
    case
        when {{ figure }} is null or {{ share }} >= 1 then {{ figure }}
        else greatest(
            {{ figure }} - {{ most_possible(figure, most) }} * (1 - {{ share }}),
            least({{ inside }}, {{ figure }})
        )
    end
{%- endmacro %}

{% macro most_in_run(figure, most="null", outside="0", share="share") -%}
    case
        when {{ figure }} is null or {{ share }} >= 1 then {{ figure }}
        else greatest(
            least({{ figure }} - {{ outside }}, {{ most_possible(figure, most) }} * {{ share }}), 0
        )
    end
{%- endmacro %}

{# What was used was possible, and an unknown number of processors sets no limit. #}
{% macro most_possible(figure, most) -%}
    greatest(coalesce({{ most }}, 'infinity'::double), {{ figure }})
{%- endmacro %}

{# The kinds of CPU seconds that come with bounds. #}
{% macro bounded_measures() -%}
    {{ return([
        "general_purpose_seconds", "ziip_seconds", "ziip_cp_equivalent_seconds",
        "ziip_on_cp_seconds", "eligible_seconds", "after_offload_seconds",
    ]) }}
{%- endmacro %}

{# The columns with bounds that marts of runs add up. #}
{% macro bounds_to_sum() -%}
    {%- set columns = [] -%}
    {%- for measure in bounded_measures() + ["ziips_needed"] -%}
        {%- do columns.extend([measure ~ "_low", measure ~ "_high"]) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}

{# Sums over intervals of the measures of cpu_measures() in a run, and their bounds. `alias` has
   general_purpose_seconds, ziip_seconds, ziip_cp_equivalent_seconds, ziip_on_cp_seconds and
   ziip_factor of whole intervals; `shares` has share, cp_share, ziip_share, cp_most and ziip_most.
   With `has_ziip_total`, `alias` has the zIIP time of type 70, and in eligible_ziip that of the
   classes: they may differ a little. #}
{% macro apportioned(alias, shares) -%}
    {%- set cp = shares ~ ".cp_share" -%}
    {%- set ziip = shares ~ ".ziip_share" -%}
    {%- set share = shares ~ ".share" -%}
    {%- set general = alias ~ ".general_purpose_seconds" -%}
    {%- set on_ziip = alias ~ ".ziip_seconds" -%}
    {%- set equivalent = alias ~ ".ziip_cp_equivalent_seconds" -%}
    {%- set on_cp = alias ~ ".ziip_on_cp_seconds" -%}
    {%- set cp_most = shares ~ ".cp_most" -%}
    {%- set ziip_most = shares ~ ".ziip_most" -%}
    {%- set equivalent_most = ziip_most ~ " * " ~ alias ~ ".ziip_factor" -%}
    {%- set factor = "nullif(" ~ alias ~ ".ziip_factor, 0)" -%}
    {%- set on_cp_as_ziip = "if(" ~ on_cp ~ " = 0, 0, " ~ on_cp ~ " / " ~ factor ~ ")" -%}
    {{ known_sum(cp ~ " * " ~ general) }} as general_purpose_seconds,
    {{ known_sum(ziip ~ " * " ~ on_ziip) }} as ziip_seconds,
    {{ known_sum(ziip ~ " * " ~ equivalent) }} as ziip_cp_equivalent_seconds,
    {{ known_sum(cp ~ " * " ~ on_cp) }} as ziip_on_cp_seconds,
    {{ known_sum(ziip ~ " * " ~ equivalent ~ " + " ~ cp ~ " * " ~ on_cp) }} as eligible_seconds,
    {{ known_sum(ziip ~ " * " ~ on_ziip ~ " + " ~ cp ~ " * " ~ on_cp_as_ziip) }}
        as eligible_ziip_seconds,
    {% for bound, in_run in [("low", least_in_run), ("high", most_in_run)] %}
    {{ known_sum(in_run(general, cp_most, "0", share)) }} as general_purpose_seconds_{{ bound }},
    {{ known_sum(in_run(on_ziip, ziip_most, "0", share)) }} as ziip_seconds_{{ bound }},
    {{ known_sum(in_run(equivalent, equivalent_most, "0", share)) }}
        as ziip_cp_equivalent_seconds_{{ bound }},
    {{ known_sum(in_run(on_cp, cp_most, "0", share)) }} as ziip_on_cp_seconds_{{ bound }},
    {{ known_sum(
        in_run(equivalent, equivalent_most, "0", share) ~ " + " ~ in_run(on_cp, cp_most, "0", share)
    ) }} as eligible_seconds_{{ bound }},
    {{ known_sum(
        in_run(on_ziip, ziip_most, "0", share) ~ " + "
        ~ in_run(on_cp_as_ziip, cp_most ~ " / " ~ factor, "0", share)
    ) }} as eligible_ziip_seconds_{{ bound }},
    {{ known_sum(in_run("(" ~ general ~ " - " ~ on_cp ~ ")", cp_most, "0", share)) }}
        as after_offload_seconds_{{ bound }}{{ "," if not loop.last }}
    {% endfor %}
{%- endmacro %}

{# The kinds of CPU seconds of a run and its parts, which add up over parts. eligible_ziip_seconds
   is eligible time as it elapses on zIIPs: each system has its own factor. #}
{% macro cpu_measures() -%}
    {{ return([
        "general_purpose_seconds", "ziip_seconds", "ziip_cp_equivalent_seconds",
        "ziip_on_cp_seconds", "eligible_seconds", "eligible_ziip_seconds",
    ]) }}
{%- endmacro %}

{# zIIP-eligible time of a row with its own factor, as it elapses on zIIPs. #}
{% macro eligible_ziip_seconds(alias) -%}
    {%- set on_cp = alias ~ ".ziip_on_cp_seconds" -%}
    {{ alias }}.ziip_seconds
    + if({{ on_cp }} = 0, 0, {{ on_cp }} / nullif({{ alias }}.ziip_factor, 0))
{%- endmacro %}

{# CPU time and costs of a run or a part of it, and whether all that are known are compared: `part` has
   the columns of cpu_measures() and their bounds, `run` those of fct_run. #}
{% macro cpu_columns(part, run) -%}
    {%- set columns = {} -%}
    {%- for bound, opposite in each_bound().items() -%}
        {%- set of = {} -%}
        {%- for measure in bounded_measures() + ["eligible_ziip_seconds"] -%}
            {%- do of.update({measure: part ~ "." ~ measure ~ bound}) -%}
        {%- endfor -%}
        {%- set cpu = of["general_purpose_seconds"] ~ " + " ~ of["ziip_cp_equivalent_seconds"] -%}
        {%- set known = part ~ ".after_offload_seconds" -%}
        {%- set after = known ~ bound if bound else cpu ~ " - " ~ of["eligible_seconds"] -%}
        {%- do of.update({
            "cpu_seconds": cpu,
            "after_offload_seconds": after,
            "ziip_share_percent": ziip_share(
                of["eligible_seconds"], known ~ opposite if bound else after
            ),
            "ziips_needed": ratio(of.pop("eligible_ziip_seconds"), run ~ ".seconds"),
            "cost_per_GB": ratio("(" ~ cpu ~ ")", run ~ ".bytes / 1073741824"),
            "cost_per_GB_after_offload": ratio("(" ~ after ~ ")", run ~ ".bytes / 1073741824"),
            "cost_per_transaction_us": average_us(cpu, run ~ ".transactions"),
            "cost_per_transaction_after_offload_us": average_us(after, run ~ ".transactions"),
        }) -%}
        {%- for column, sql in of.items() -%}
            {%- do columns.setdefault(column, []).append(sql) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for column, sql in columns.items() %}
    {%- for name in with_bounds(column).values() %}
    {{ sql[loop.index0] }} as {{ name }},
    {%- endfor %}
    {%- endfor %}
    {{ run }}.is_compared
    {%- for _, of in cpu_metrics() %}
    {%- set sql = columns[of.value] %}
    and {{ is_narrow(figure(sql[0], sql[1], sql[2])) }}
    {%- endfor %} as is_compared
{%- endmacro %}

{# The eligible share of CPU time, whose other part is what remains after offload: it is least where that
   is most. #}
{% macro ziip_share(eligible, after) -%}
    {{ percent(eligible, "(" ~ eligible ~ " + " ~ after ~ ")") }}
{%- endmacro %}

{# The names that manifests give a run's workload, one per row: as given, what they are names of, and a
   pattern for GLOB. #}
{% macro workload_names(runs) -%}
    select
        origin,
        run_id,
        name,
        coalesce(nullif(regexp_extract(name, '^(service class|report class) ', 1), ''), 'address space')
            as kind,
        upper(regexp_replace(name, '^(service class|report class) ', '')) as pattern
    from (select origin, run_id, unnest(workload) as name from {{ runs }})
{%- endmacro %}

{# The columns of fct_run_workload that are metrics, as (metric, figure). #}
{% macro workload_metrics() -%}
    {%- set per_GB, per_transaction = "cost_per_GB_of_workload", "cost_per_transaction_of_workload" -%}
    {{ return([
        ("workload_seconds", with_bounds("cpu_seconds")),
        ("workload_seconds_after_offload", with_bounds("after_offload_seconds")),
        (per_GB, with_bounds("cost_per_GB")),
        (per_GB ~ "_after_offload", with_bounds("cost_per_GB_after_offload")),
        (per_transaction, with_bounds("cost_per_transaction_us")),
        (
            per_transaction ~ "_after_offload",
            with_bounds("cost_per_transaction_after_offload_us"),
        ),
    ]) }}
{%- endmacro %}
