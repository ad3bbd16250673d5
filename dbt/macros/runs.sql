{# Shared by the models of runs. #}

{# Factors of a run but a site's own, as (name, column type). #}
{% macro run_factors() -%}
    {{ return([
        ("source", "varchar"), ("target", "varchar"), ("target_storage", "varchar"),
        ("network", "varchar"), ("queue", "varchar"), ("zhpf", "varchar"), ("tls", "varchar"),
        ("ams", "varchar"), ("compmsg", "varchar"), ("p2wg", "varchar"), ("batchint", "integer"),
        ("mode", "varchar"), ("file_size_mb", "integer"), ("chunk_size", "bigint"),
        ("md5", "varchar"), ("connection", "varchar"), ("transfer", "varchar"),
        ("protocol", "varchar"), ("latency_km", "integer"), ("latency_ms_oneway", "double"),
        ("loss_pct", "double"), ("channels", "integer"), ("cpus", "integer"),
        ("rni", "varchar"), ("cipher", "varchar"), ("message_size", "varchar"),
        ("message_size_bytes", "bigint"), ("agent_window_size", "integer"),
        ("agent_frame_size", "integer"), ("agent_checkpoint_interval", "integer"),
        ("block_size", "integer"), ("jit_level", "varchar"),
    ]) }}
{%- endmacro %}

{# One row per hour that a time range touches, so that two ranges can be joined on equality. #}
{% macro hours_of(start, stop) -%}
    unnest(generate_series(
        date_trunc('hour', {{ start }}), {{ stop }} - interval 1 microsecond, interval 1 hour
    ))
{%- endmacro %}

{% macro same_moment(one, other) -%}
    abs(epoch({{ one }} - {{ other }})) < 1
{%- endmacro %}

{# One row per system interval of a relation and run of int_runs__system that ran during it. Adds
   run_id; share, the fraction of the interval that lies within the run; covered_seconds, the
   seconds of the run that lie within the interval. Start times are recorded in whole seconds, so
   times that differ by less than a second count as equal.

   Records without a sysplex (names_sysplex=false) belong to a system only if no other sysplex had
   one of that name; they get its sysplex. #}
{% macro intervals_of_runs(
    relation, start="interval_start_utc", stop="interval_end_utc", names_sysplex=true
) -%}
    (
        with interval_hour as (

            select *, {{ hours_of(start, stop) }} as hour
            from {{ relation }}
            where
                {{ start }} < {{ stop }}
                {% if is_incremental() %}
                and {{ stop }} > (select min(start_utc) from {{ runs(ref("int_runs__system")) }})
                and {{ start }} < (select max(stop_utc) from {{ runs(ref("int_runs__system")) }})
                {% endif %}

        ),

        run_hour as (

            select
                origin,
                run_id,
                sysplex,
                system_id,
                start_utc as run_start_utc,
                stop_utc as run_stop_utc,
                {{ hours_of("start_utc", "stop_utc") }} as hour
            from {{ runs(ref("int_runs__system")) }}
            {% if not names_sysplex %}
            where is_only_one_of_its_name
            {% endif %}

        ),

        overlap as (

            select
                one.* exclude (hour),
                run.run_id,
                {% if not names_sysplex %}
                run.sysplex,
                {% endif %}
                case
                    when {{ same_moment("run.run_start_utc", "one." ~ start) }} then one.{{ start }}
                    when {{ same_moment("run.run_start_utc", "one." ~ stop) }} then one.{{ stop }}
                    else greatest(run.run_start_utc, one.{{ start }})
                end as from_utc,
                case
                    when {{ same_moment("run.run_stop_utc", "one." ~ stop) }} then one.{{ stop }}
                    when {{ same_moment("run.run_stop_utc", "one." ~ start) }} then one.{{ start }}
                    else least(run.run_stop_utc, one.{{ stop }})
                end as to_utc,
                case
                    when {{ same_moment("run.run_start_utc", "one." ~ start) }}
                        then run.run_start_utc
                    else greatest(run.run_start_utc, one.{{ start }})
                end as covered_from_utc,
                case
                    when {{ same_moment("run.run_stop_utc", "one." ~ stop) }}
                        then run.run_stop_utc
                    else least(run.run_stop_utc, one.{{ stop }})
                end as covered_to_utc
            from interval_hour as one
            inner join run_hour as run
                on
                    one.origin = run.origin
                    {% if names_sysplex %}
                    and one.sysplex = run.sysplex
                    {% endif %}
                    and one.system_id = run.system_id
                    and one.hour = run.hour
                    and one.{{ start }} < run.run_stop_utc
                    and one.{{ stop }} > run.run_start_utc
            -- Both may touch several hours: keep the pair only in the first hour they share.
            where one.hour = date_trunc('hour', greatest(run.run_start_utc, one.{{ start }}))

        )

        select
            * exclude (from_utc, to_utc, covered_from_utc, covered_to_utc),
            epoch(to_utc - from_utc) / epoch({{ stop }} - {{ start }}) as share,
            epoch(covered_to_utc - covered_from_utc) as covered_seconds
        from overlap
        where to_utc > from_utc
    )
{%- endmacro %}

{# Whether records cover all of a run: 99 % of it, because RMF intervals start at whole seconds, and
   of a long run all but half of its shortest interval, so that no interval is missing. #}
{% macro fully_covered(covered_seconds, run_seconds, shortest_interval_seconds) -%}
    (
        {{ covered_seconds }} >= 0.99 * {{ run_seconds }}
        and {{ run_seconds }} - {{ covered_seconds }}
        < greatest(2, coalesce({{ shortest_interval_seconds }}, 0) / 2)
    )
{%- endmacro %}

{# A sum that is NULL if any of its terms is: a part that is not known makes the whole unknown. #}
{% macro known_sum(term) -%}
    case when count(*) = count({{ term }}) then sum({{ term }}) end
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

{# The values of several columns as rows (metric, value), from pairs (metric, column). #}
{% macro metric_rows(pairs) -%}
    unnest(
        [
            {%- for metric, column in pairs %}
            {'metric': '{{ metric }}', 'value': cast({{ column }} as double)}
            {{- "," if not loop.last }}
            {%- endfor %}
        ],
        recursive := true
    )
{%- endmacro %}

{# The columns of cpu_columns() that are metrics, as (metric, column). #}
{% macro cpu_metrics() -%}
    {{ return([
        ("cpu_seconds", "cpu_seconds"),
        ("general_purpose_seconds", "general_purpose_seconds"),
        ("ziip_eligible_seconds", "eligible_seconds"),
        ("cost_per_GB", "cost_per_gb"),
        ("cost_per_GB_after_offload", "cost_per_gb_after_offload"),
        ("cost_per_transaction", "cost_per_transaction_us"),
        ("cost_per_transaction_after_offload", "cost_per_transaction_after_offload_us"),
        ("ziip_share", "ziip_share_percent"),
        ("ziips_needed", "ziips_needed"),
    ]) }}
{%- endmacro %}

{# The figures of resources other than processors, as (metric, column of fct_run_total, resource,
   expression over its events, seconds, bytes and run_seconds). #}
{% macro resource_figures() -%}
    {{ return([
        ("dasd_response_time", "dasd_response_us", "DASD", average_us("seconds", "events")),
        ("cf_service_time", "cf_service_us", "CF", average_us("seconds", "events")),
        ("log_write_latency", "log_write_us", "MQ log", average_us("seconds", "events")),
        ("log_physical_bytes", "log_bytes", "MQ log", "bytes"),
        (
            "log_physical_rate", "log_bytes_per_second", "MQ log",
            per_second("bytes", "run_seconds"),
        ),
        ("NETTIME", "nettime_ms", "network", average_us("seconds", "events") ~ " / 1000"),
    ]) }}
{%- endmacro %}

{# Totals over all objects of a resource, by the columns in `by`: events, seconds, cpu_seconds,
   bytes and run_seconds. `verb` tells the verbs of MQ apart. #}
{% macro resources_used(by) -%}
    (
        select
            {% for column in by %}
            used.{{ column }},
            {% endfor %}
            used.resource,
            if(used.resource = 'MQ verb', used.part, null) as verb,
            sum(used.events) as events,
            sum(used.busy_seconds) as seconds,
            sum(used.cpu_seconds) as cpu_seconds,
            sum(used.bytes_moved) as bytes,
            any_value(run.seconds) as run_seconds
        from {{ runs(ref('fct_run_resource')) }} as used
        inner join {{ runs(ref('fct_run')) }} as run using (origin, run_id)
        where
            case used.resource
                when 'DASD' then used.part = 'response'
                -- All operations of a card include these.
                when 'crypto' then used.part <> 'RSA key generation'
                else true
            end
        group by all
    )
{%- endmacro %}

{# The columns of a mart of measurements; `of` are those that say what part of the run is meant. #}
{% macro measurement_columns(run, measured, of=[]) -%}
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
    {{ measured }}.unit,
    {{ measured }}.more_is_better,
    {{ measured }}.is_given,

    -- time and machine
    {{ run }}.start_utc,
    {{ run }}.machine,
    {{ run }}.mq_level,
    {{ run }}.git_revision,
    {{ run }}.is_compared,
    {{ run }}.source_ids
{%- endmacro %}

{# What identifies the run of a row, from fct_run. #}
{% macro run_columns(run) -%}
    {{ run }}.origin,
    {{ run }}.source_id,
    {{ run }}.record_no,
    {{ run }}.run_id,
    {{ run }}.campaign,
    {{ run }}.configuration_id,
    {{ run }}.start_utc
{%- endmacro %}

{# CPU time and costs of a run or a part of it: `part` has the columns of cpu_measures(), `run` those
   of fct_run. #}
{% macro cpu_columns(part, run) -%}
    {%- set cpu = part ~ ".general_purpose_seconds + " ~ part ~ ".ziip_cp_equivalent_seconds" -%}
    {%- set after = cpu ~ " - " ~ part ~ ".eligible_seconds" -%}
    {{ cpu }} as cpu_seconds,
    {{ part }}.general_purpose_seconds,
    {{ part }}.ziip_seconds,
    {{ part }}.ziip_cp_equivalent_seconds,
    {{ part }}.ziip_on_cp_seconds,
    {{ part }}.eligible_seconds,
    {{ after }} as after_offload_seconds,
    {{ percent(part ~ ".eligible_seconds", cpu) }} as ziip_share_percent,
    {{ ratio(part ~ ".eligible_ziip_seconds", run ~ ".seconds") }} as ziips_needed,
    {{ ratio("(" ~ cpu ~ ")", run ~ ".bytes / 1073741824") }} as cost_per_gb,
    {{ ratio("(" ~ after ~ ")", run ~ ".bytes / 1073741824") }} as cost_per_gb_after_offload,
    {{ average_us(cpu, run ~ ".transactions") }} as cost_per_transaction_us,
    {{ average_us(after, run ~ ".transactions") }} as cost_per_transaction_after_offload_us
{%- endmacro %}

{% macro yes_no(flag) -%}
    case when {{ flag }} then 'Y' when not {{ flag }} then 'N' end
{%- endmacro %}

{# Factors that a run and a published figure can share, as (factor, expression for its level over
   int_published__cell). All tables of document 000 were measured with the agents' defaults. #}
{% macro published_levels() -%}
    {{ return([
        ("source", "source_system"), ("target", "target_system"),
        ("target_storage", "target_storage"), ("network", "network"), ("queue", "queue_type"),
        ("zhpf", yes_no("zhpf")), ("tls", "if(tls = 'none', 'N', tls)"),
        ("ams", "if(ams = 'none', 'N', ams)"),
        ("compmsg", "if(compression = 'none', 'N', compression)"),
        ("p2wg", yes_no("put_to_waiting_getter")), ("batchint", "batch_interval_ms"),
        ("mode", "mode"), ("file_size_mb", "file_size_mb"), ("chunk_size", "chunk_size_bytes"),
        ("md5", yes_no("md5")), ("connection", "connection"), ("transfer", "transfer"),
        ("protocol", "protocol"), ("latency_km", "latency_km"),
        ("latency_ms_oneway", "latency_ms_one_way"), ("loss_pct", "loss_percent"),
        ("channels", "channels"), ("cpus", "cpus"), ("rni", "relative_nest_intensity"),
        ("cipher", "cipher"), ("message_size_bytes", "message_size_bytes"),
        ("agent_window_size", "if(document_id = '000', 10, null)"),
        ("agent_frame_size", "if(document_id = '000', 5, null)"),
        ("agent_checkpoint_interval", "if(document_id = '000', 1, null)"),
        ("jit_level", "if(document_id = '000', 'default', null)"),
    ]) }}
{%- endmacro %}

{# A readable label for a configuration: its factors, machine and MQ level, taken from the columns
   of one relation, except the factors in `without`. #}
{% macro configuration_text(without=[]) -%}
    {% set phrases = [
        (
            ["source", "target", "target_storage"],
            "nullif(concat_ws(' > ', source, nullif(concat_ws(' ', target, target_storage), '')),"
            ~ " '')",
        ),
        (["network"], "network"),
        (["queue"], "queue"),
        (["zhpf"], "case zhpf when 'Y' then 'zHPF' when 'N' then 'no zHPF' end"),
        (["tls"], "nullif(tls, 'N')"),
        (["cipher"], "cipher"),
        (["ams"], "'AMS ' || nullif(ams, 'N')"),
        (["compmsg"], "nullif(compmsg, 'N')"),
        (["p2wg"], "case p2wg when 'N' then 'no put to waiting getter' end"),
        (["batchint"], "'BATCHINT ' || nullif(batchint, 0)"),
        (["protocol"], "protocol"),
        (["latency_km"], "latency_km || ' km'"),
        (["latency_ms_oneway"], "format('{:g} ms one way', latency_ms_oneway)"),
        (["loss_pct"], "format('{:g} % loss', nullif(loss_pct, 0))"),
        (["channels"], "channels || if(channels = 1, ' channel', ' channels')"),
        (["connection"], "connection"),
        (["transfer"], "transfer"),
        (["md5"], "case md5 when 'Y' then 'MD5' when 'N' then 'no MD5' end"),
        (
            ["chunk_size"],
            "case when chunk_size % 1024 = 0 then chunk_size // 1024 || ' KB chunks'"
            ~ " else chunk_size || ' B chunks' end",
        ),
        (["file_size_mb"], "file_size_mb || ' MB'"),
        (["message_size"], "coalesce(message_size, message_size_bytes || ' B')"),
        (["mode"], "mode"),
        (["agent_window_size"], "'window ' || agent_window_size"),
        (["agent_frame_size"], "'frame ' || agent_frame_size"),
        (["agent_checkpoint_interval"], "'checkpoint interval ' || agent_checkpoint_interval"),
        (["block_size"], "'BLKSIZE ' || block_size"),
        (["jit_level"], "'JIT ' || jit_level"),
        (["cpus"], "cpus || if(cpus = 1, ' CPU', ' CPUs')"),
        (["rni"], "rni || ' RNI'"),
        (
            ["x_factors"],
            "nullif(array_to_string(list_transform(map_entries(x_factors),"
            ~ " lambda entry: substr(entry.key, 3) || ' ' || entry.value), ', '), '')",
        ),
        (["machine"], "machine"),
        (["mq_level"], "'MQ ' || mq_level"),
    ] -%}
    coalesce(
        nullif(
            concat_ws(
                ', '
                {%- for names, phrase in phrases if names | reject("in", without) | list == names %},
                {{ phrase }}
                {%- endfor %}
            ),
            ''
        ),
        'no factors'
    )
{%- endmacro %}

{# The kind of each address space name in a relation. A join by pattern compares every pair, so it
   uses the distinct names, which are far fewer than the rows. #}
{% macro address_space_kinds(relation) -%}
    (
        select
            named.address_space,
            kind.kind,
            kind.printed
        from (select distinct address_space from {{ relation }}) as named
        inner join {{ ref("run_address_space") }} as kind
            on regexp_full_match(named.address_space, kind.name_pattern)
    )
{%- endmacro %}

{# How far means of so many runs of one configuration may differ, in percent: the 6 % that two
   runs of the modelled systems do (document 000), less for means. #}
{% macro noise_percent(runs, other_runs) -%}
    6 * sqrt((1.0 / {{ runs }} + 1.0 / {{ other_runs }}) / 2)
{%- endmacro %}
