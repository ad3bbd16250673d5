with joined as (

    select
        record.*,
        load.origin,
        load.loaded_at_utc,
        coalesce(product.sysplex, '') as sysplex,
        product.* exclude (source_id, record_no, sysplex),
        part.part_no as own_part_no,
        coalesce(part.part_no, 1) as part_no,
        coalesce(part.parts, 1) as parts,
        subject.subject
    from {{ ref('stg_rmf__record') }} as record
    inner join {{ ref('stg_lake__load') }} as load using (source_id)
    left join {{ ref('stg_rmf__product') }} as product using (source_id, record_no)
    left join {{ ref('stg_rmf__part') }} as part using (source_id, record_no)
    left join {{ ref('stg_rmf__subject') }} as subject using (source_id, record_no)

),

-- The parts of a broken record follow one another in their file, possibly with records of other
-- types in between. A part starts a new set unless its number is one more than the previous part's.
chained as (

    select
        *,
        part_no > 1
        and coalesce(part_no = 1 + lag(part_no) over chain, false)
        and coalesce(parts = lag(parts) over chain, false) as follows
    from joined
    window chain as (
        partition by
            source_id, record_type, record_subtype, sysplex, system_id, interval_start_local
        order by record_no
    )

),

grouped as (

    select
        *,
        count(*) filter (where not follows) over (
            partition by
            source_id, record_type, record_subtype, sysplex, system_id, interval_start_local
            order by record_no
            rows between unbounded preceding and current row
        ) as set_no
    from chained

),

assembled as (

    select
        *,
        min(record_no) over whole as logical_record,
        count(*) over whole = parts as complete,
        first(subject) over whole as record_subject
    from grouped
    window whole as (
        partition by
            source_id, record_type, record_subtype, sysplex, system_id, interval_start_local,
            set_no
        order by subject is null, part_no
        rows between unbounded preceding and unbounded following
    )

),

-- If overlapping dumps contain the same record, keep the complete one that was loaded first.
-- Records of one file that agree in all these columns are told apart by their order.
numbered as (

    select
        source_id,
        record_no,
        dense_rank() over (
            partition by
                source_id, record_type, record_subtype, sysplex, system_id,
                interval_start_local, interval_token_utc, monitor_iii, record_subject
            order by logical_record
        ) as occurrence_no
    from assembled

),

ranked as (

    select
        assembled.*,
        row_number() over (
            partition by
                assembled.origin, assembled.record_type, assembled.record_subtype,
                assembled.sysplex, assembled.system_id, assembled.interval_start_local,
                assembled.interval_token_utc, assembled.monitor_iii, assembled.record_subject,
                numbered.occurrence_no, assembled.part_no
            order by
                assembled.complete desc, assembled.loaded_at_utc, assembled.source_id,
                assembled.record_no
        ) as copy_no
    from assembled
    inner join numbered using (source_id, record_no)

)

select
    -- ids
    source_id,
    record_no,
    logical_record,

    -- text
    origin,
    sysplex,
    system_id,
    system_name,
    zos_level,

    -- numerics
    record_type,
    record_subtype,
    record_bytes,
    part_no,
    parts,
    interval_seconds,
    utc_offset_minutes,
    samples,
    partition_number,

    -- booleans
    complete,
    coalesce(skipped, false) as skipped,
    coalesce(monitor_iii, false) as monitor_iii,
    complete
    and not coalesce(skipped, false)
    and not coalesce(monitor_iii, false)
    and interval_seconds > 0
    and interval_start_local is not null
    and utc_offset_minutes is not null as usable,

    -- dates
    smf_time_local,
    interval_start_local - to_minutes(utc_offset_minutes) as interval_start_utc,
    interval_start_local
    - to_minutes(utc_offset_minutes)
    + to_microseconds(cast(round(1e6 * interval_seconds) as bigint)) as interval_end_utc
from ranked
where copy_no = 1
