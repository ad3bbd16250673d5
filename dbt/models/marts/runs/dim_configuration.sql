with run as (

    select * from {{ ref('int_runs__run') }}

),

configuration as (

    select
        configuration_id,
        arg_min(origin, declared_no) as origin,
        arg_min(source_id, declared_no) as source_id,
        arg_min(record_no, declared_no) as record_no,
        any_value(factors_id) as factors_id,
        any_value(machine) as machine,
        any_value(mq_level) as mq_level,
        {% for name, _ in run_factors() %}
        any_value("{{ name }}") as "{{ name }}",
        {% endfor %}
        any_value(x_factors) as x_factors,
        count(*) as runs,
        list(distinct origin order by origin) as origins
    from run
    group by configuration_id

)

select
    configuration_id,
    factors_id,
    origin,
    source_id,
    record_no,
    coalesce(
        nullif(
            concat_ws(
                ', ',
                nullif(
                    concat_ws(' > ', source, nullif(concat_ws(' ', target, target_storage), '')),
                    ''
                ),
                network,
                queue,
                case zhpf when 'Y' then 'zHPF' when 'N' then 'no zHPF' end,
                nullif(tls, 'N'),
                cipher,
                'AMS ' || nullif(ams, 'N'),
                nullif(compmsg, 'N'),
                case p2wg when 'N' then 'no put to waiting getter' end,
                'BATCHINT ' || nullif(batchint, 0),
                protocol,
                latency_km || ' km',
                format('{:g} ms one way', latency_ms_oneway),
                format('{:g} % loss', nullif(loss_pct, 0)),
                channels || if(channels = 1, ' channel', ' channels'),
                connection,
                transfer,
                case md5 when 'Y' then 'MD5' when 'N' then 'no MD5' end,
                case
                    when chunk_size % 1024 = 0 then chunk_size // 1024 || ' KB chunks'
                    else chunk_size || ' B chunks'
                end,
                file_size_mb || ' MB',
                coalesce(message_size, message_size_bytes || ' B'),
                mode,
                cpus || if(cpus = 1, ' CPU', ' CPUs'),
                rni || ' RNI',
                nullif(
                    array_to_string(
                        list_transform(
                            map_entries(x_factors),
                            lambda entry: substr(entry.key, 3) || ' ' || entry.value
                        ),
                        ', '
                    ),
                    ''
                ),
                machine,
                'MQ ' || mq_level
            ),
            ''
        ),
        'no factors'
    ) as configuration,
    machine,
    mq_level,
    {% for name, _ in run_factors() %}
    "{{ name }}",
    {% endfor %}
    x_factors,
    runs,
    origins
from configuration
