with interval as (

    select * from {{ days(ref('int_zos_cpu__interval'), around=1) }}

),

-- Records of types 42, 113, 115 and 116 do not name their sysplex.
ambiguous_system as (

    select
        origin,
        arg_min(source_id, (interval_start_utc, sysplex)) as source_id,
        arg_min(record_no, (interval_start_utc, sysplex)) as record_no,
        system_id,
        min(interval_start_utc) as start_utc,
        max(interval_end_utc) as end_utc,
        string_agg(distinct sysplex, ' and ' order by sysplex) as sysplexes
    from interval
    group by origin, system_id, cast(interval_start_utc as date)
    having count(distinct sysplex) > 1

)

select
    origin,
    source_id,
    record_no,
    'ambiguous_system' as kind,
    'warning' as severity,
    cast(null as varchar) as sysplex,
    system_id,
    start_utc,
    end_utc,
    cast(null as varchar) as subject,
    cast(null as varchar) as run_id,
    format('sysplexes {} both have a system {}', sysplexes, system_id) as found,
    'kept apart by sysplex, but types 42, 113, 115 and 116 and the scopes of runs do not tell them'
    || ' apart' as done,
    ['work', 'devices', 'mq'] as affects
from ambiguous_system
