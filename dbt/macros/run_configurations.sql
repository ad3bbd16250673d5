{# Factors and names of runs and their configurations. #}

{# Factors of a run, except a site's own, as (name, column type). #}
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

{# The factors of a configuration as texts factor=level, from the columns of one relation. #}
{% macro factor_levels() -%}
    list_concat(
        list_filter(
            [
                {%- for name, type in run_factors() %}
                '{{ name }}=' || {{ "format('{:g}', \"" ~ name ~ "\")" if type == "double"
                    else "cast(\"" ~ name ~ "\" as varchar)" }},
                {%- endfor %}
                'machine=' || machine
            ],
            lambda level: level is not null
        ),
        list_transform(map_entries(x_factors), lambda entry: entry.key || '=' || entry.value)
    )
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
            kind.printed,
            kind.is_workload
        from (select distinct address_space from {{ relation }}) as named
        inner join {{ ref("run_address_space") }} as kind
            on regexp_full_match(named.address_space, kind.name_pattern)
    )
{%- endmacro %}

{# How uncertain a figure may be, in percent, and still be compared: as much as two runs of the modelled
   systems differ (document 000). #}
{% macro usual_noise_percent() -%}
    6
{%- endmacro %}

{# How far the means of this many runs of one configuration may differ, in percent: less than two single
   runs do. #}
{% macro noise_percent(runs, other_runs) -%}
    {{ usual_noise_percent() }} * sqrt((1.0 / {{ runs }} + 1.0 / {{ other_runs }}) / 2)
{%- endmacro %}
