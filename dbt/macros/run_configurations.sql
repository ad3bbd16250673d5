{# Factors and names of runs and their configurations. #}

{# Factors of a run, except a site's own, as (name, column type). #}
{% macro run_factors() -%}
    {% set messaging = [] %}
    {% for name, type, _ in messaging_factors() %}
        {% do messaging.append((name, "varchar" if type == "flag" else type)) %}
    {% endfor %}
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
    ] + messaging) }}
{%- endmacro %}

{# Factors of messaging, as (name, type, name in manifests that were written before these were factors).
   That name is hashed, so that configurations keep their identifiers. A flag is Y or N. #}
{% macro messaging_factors() -%}
    {{ return([
        ("persistent", "flag", "x_persistent"), ("syncpoint", "flag", "x_syncpoint"),
        ("transaction", "varchar", "x_transaction"), ("batching", "varchar", "x_batch"),
        ("compressible", "integer", "x_compressible"), ("path", "varchar", "x_path"),
        ("clients", "integer", "x_clients"), ("application", "varchar", "x_application"),
        ("accounting", "flag", "x_accounting"),
        ("queue_managers", "integer", "x_queue_managers"), ("ziips", "integer", "x_ziips"),
        ("key_interval", "varchar", "x_new_keys"),
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

{# Factors that published figures state, as (factor, expression for its level over int_published__cell,
   called cell). #}
{% macro published_levels() -%}
    {{ return([
        ("source", "cell.source_system"), ("target", "cell.target_system"),
        ("target_storage", "cell.target_storage"), ("network", "cell.network"), ("queue", "cell.queue_type"),
        ("zhpf", yes_no("cell.zhpf")), ("tls", "if(cell.tls = 'none', 'N', cell.tls)"),
        ("ams", "if(cell.ams = 'none', 'N', cell.ams)"),
        ("compmsg", "if(cell.compression = 'none', 'N', cell.compression)"),
        ("p2wg", yes_no("cell.put_to_waiting_getter")), ("batchint", "cell.batch_interval_ms"),
        ("mode", "cell.mode"), ("file_size_mb", "cell.file_size_mb"), ("chunk_size", "cell.chunk_size_bytes"),
        ("md5", yes_no("cell.md5")), ("connection", "cell.connection"), ("transfer", "cell.transfer"),
        ("protocol", "cell.protocol"), ("latency_km", "cell.latency_km"),
        ("latency_ms_oneway", "format('{:g}', cell.latency_ms_one_way)"), ("loss_pct", "format('{:g}', cell.loss_percent)"),
        ("channels", "cell.channels"), ("cpus", "cell.cpus"), ("rni", "cell.relative_nest_intensity"),
        ("cipher", "cell.cipher"), ("message_size_bytes", "cell.message_size_bytes"),
        ("machine", "cell.machine"),
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
        (["persistent"], "case persistent when 'Y' then 'persistent' when 'N' then 'non-persistent' end"),
        (["syncpoint"], "case syncpoint when 'Y' then 'in syncpoint' when 'N' then 'out of syncpoint' end"),
        (["transaction"], "transaction"),
        (["batching"], "'batches ' || batching"),
        (["compressible"], "compressible || ' % compressible'"),
        (["path"], "'path ' || path"),
        (["clients"], "clients || if(clients = 1, ' client', ' clients')"),
        (["application"], "application"),
        (["accounting"], "case accounting when 'Y' then 'class 3' when 'N' then 'no class 3' end"),
        (["queue_managers"], "queue_managers || if(queue_managers = 1, ' queue manager', ' queue managers')"),
        (["ziips"], "ziips || if(ziips = 1, ' zIIP', ' zIIPs')"),
        (["key_interval"], "if(key_interval = 'N', 'keys not renewed', 'keys renewed after ' || key_interval)"),
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
