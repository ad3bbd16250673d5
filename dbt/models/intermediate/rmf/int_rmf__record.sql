{% set interval = "record_type, record_subtype, origin, sysplex, system_id, interval_start_local, interval_token_utc, parts" %}

with
    joined as (

        select
            record.*,
            coalesce(product.sysplex, '') as sysplex,
            product.* exclude (source_id, record_no, sysplex),
            coalesce(part.part_no, 1) as part_no,
            coalesce(part.parts, 1) as parts,
            subject.subject
        from {{ ref("stg_lake__record") }} as record
        left join {{ ref("stg_rmf__product") }} as product using (source_id, record_no)
        left join {{ ref("stg_rmf__part") }} as part using (source_id, record_no)
        left join {{ ref("stg_rmf__subject") }} as subject using (source_id, record_no)
        where (record.record_type, record.record_subtype) in ({{ rmf_kinds() | join(", ") }})

    ),

    -- The parts of a broken record follow one another in their file, possibly with records of other
    -- types in between, so that their place less their number is the same.
    placed as (

        select
            *,
            row_number() over (
                partition by source_id, record_type, record_subtype, sysplex, system_id, interval_start_local
                order by record_no
            )
            - part_no as set_no
        from joined

    ),

    in_file as (

        select
            *,
            source_id as logical_source_id,
            min(record_no) over whole as logical_record,
            count(*) over whole = parts as complete,
            first(subject) over whole as record_subject
        from placed
        window
            whole as (
                partition by
                    source_id,
                    record_type,
                    record_subtype,
                    sysplex,
                    system_id,
                    interval_start_local,
                    parts,
                    set_no
                order by subject is null, part_no
                rows between unbounded preceding and unbounded following
            )

    ),

    -- Parts of a record that is not whole in its file may be in other files, or in another order: if its
    -- interval has each part once, they are one record. Only the first may name its subject.
    scattered as (

        select
            source_id,
            record_no,
            max(subject) over whole as whole_subject,
            first(source_id) over numbers as first_source_id,
            first(record_no) over numbers as first_record_no
        from in_file
        where not complete
        window
            whole as (partition by {{ interval }}),
            numbers as (
                partition by {{ interval }}
                order by part_no
                rows between unbounded preceding and unbounded following
            )
        qualify
            count(*) over whole = parts
            and count(distinct part_no) over whole = parts
            and max(subject) over whole is not distinct from min(subject) over whole

    ),

    assembled as (

        select
            in_file.* replace (
                coalesce(scattered.first_source_id, in_file.logical_source_id) as logical_source_id,
                coalesce(scattered.first_record_no, in_file.logical_record) as logical_record,
                in_file.complete or scattered.source_id is not null as complete,
                coalesce(scattered.whole_subject, in_file.record_subject) as record_subject
            )
        from in_file
        left join scattered using (source_id, record_no)

    ),

    timed as (

        select
            *,
            complete
            and not coalesce(skipped, false)
            and not coalesce(monitor_iii, false)
            and interval_seconds > 0
            and interval_start_local is not null
            and utc_offset_minutes is not null as valid,
            interval_start_local - to_minutes(utc_offset_minutes) as interval_start_utc,
            interval_start_local
            - to_minutes(utc_offset_minutes)
            + to_microseconds(cast(round(1e6 * interval_seconds) as bigint)) as interval_end_utc,
            case
                when record_type = 72 or (record_type = 70 and record_subtype = 1)
                then 'cpu'
                else record_type || '-' || record_subtype
            end as family
        from assembled

    ),

    {% set whose = "origin, sysplex, system_id" %}
    {% set kind = whose ~ ", record_type, record_subtype" %}
    {% set span = whose ~ ", family, interval_start_utc, interval_end_utc" %}
    -- RMF may write the same time twice: in intervals of two lengths, or that begin at other moments.
    -- Longer intervals are used, and among equals those that start nearest to a multiple of their length.
    overlapping as (

        {{
            overlaps(
                "(select distinct " ~ span ~ " from timed where valid)",
                whose ~ ", family",
                span,
                "round(epoch(interval_end_utc - interval_start_utc)) desc, round(epoch(interval_start_utc))"
                ~ " % round(epoch(interval_end_utc - interval_start_utc)), interval_start_utc",
                same_seconds=2,
            )
        }}

    ),

    -- Records that differ contradict each other if they are about the same thing in the same interval: of
    -- two systems with the same names, or of RMF and another monitor. Which is right cannot be known.
    about as (

        select *, struct_pack(source_id := logical_source_id, record_no := logical_record) as record
        from timed
        where valid and (record_type = 70 or record_subject is not null)

    ),

    contradicting as ({{ contradictions("about", kind ~ ", record_subject") }}),

    cpu_interval as (

        select distinct {{ whose }}, record_type, interval_start_utc, interval_end_utc
        from timed
        where valid and family = 'cpu'

    ),

    -- Where types 70 and 72 give slightly different times, use those of type 70.
    moved as (

        select
            told.{{ whose | replace(" ", " told.") }},
            told.interval_start_utc,
            told.interval_end_utc,
            min(processor.interval_start_utc) as processor_start_utc,
            min(processor.interval_end_utc) as processor_end_utc
        from
            (
                select *
                from cpu_interval
                anti join
                    (select * from cpu_interval where record_type = 70) as same using (
                        {{ whose }}, interval_start_utc
                    )
                where cpu_interval.record_type = 72
            ) as told
        inner join cpu_interval as processor using ({{ whose }})
        where
            processor.record_type = 70
            and abs(epoch(processor.interval_start_utc - told.interval_start_utc)) <= 2
            and abs(epoch(processor.interval_end_utc - told.interval_end_utc)) <= 2
        group by all

    ),

    chosen as (

        select
            -- ids
            timed.source_id,
            timed.record_no,
            timed.logical_source_id,
            timed.logical_record,

            -- text
            timed.origin,
            timed.sysplex,
            timed.system_id,
            timed.system_name,
            timed.zos_level,

            -- numerics
            timed.record_type,
            timed.record_subtype,
            timed.record_bytes,
            timed.part_no,
            timed.parts,
            timed.interval_seconds,
            timed.utc_offset_minutes,
            timed.samples,
            timed.partition_number,

            -- booleans
            timed.complete,
            coalesce(timed.skipped, false) as skipped,
            coalesce(timed.monitor_iii, false) as monitor_iii,
            coalesce(timed.ziip_boost, false) as ziip_boost,
            coalesce(timed.speed_boost, false) as speed_boost,
            timed.valid and overlapping.used is null and contradicting.source_id is null as usable,
            contradicting.contradicting_record,

            -- dates
            timed.smf_time_local,
            coalesce(moved.processor_start_utc, timed.interval_start_utc) as interval_start_utc,
            coalesce(moved.processor_end_utc, timed.interval_end_utc) as interval_end_utc,
            overlapping.used.interval_start_utc as used_start_utc,
            overlapping.used.interval_end_utc as used_end_utc
        from timed
        left join
            overlapping
            on timed.valid
            and timed.origin = overlapping.origin
            and timed.sysplex = overlapping.sysplex
            and timed.system_id = overlapping.system_id
            and timed.family = overlapping.family
            and timed.interval_start_utc = overlapping.interval_start_utc
            and timed.interval_end_utc = overlapping.interval_end_utc
        left join contradicting using (source_id, record_no)
        left join
            moved
            on timed.valid
            and timed.record_type = 72
            and timed.origin = moved.origin
            and timed.sysplex = moved.sysplex
            and timed.system_id = moved.system_id
            and timed.interval_start_utc = moved.interval_start_utc
            and timed.interval_end_utc = moved.interval_end_utc

    )

select
    * exclude (earlier_end_utc),
    -- Systems write records at least once an hour, unless they were down or a day is not loaded.
    case
        when not usable
        then null
        when interval_start_utc - earlier_end_utc <= interval 2 hour
        then interval_seconds + greatest(0, epoch(interval_start_utc - earlier_end_utc))
        else interval_seconds
    end as expected_seconds
from
    (
        select
            *,
            max(interval_end_utc) over (
                partition by {{ kind }}, usable
                order by interval_start_utc
                range between unbounded preceding and interval 2 second preceding
            ) as earlier_end_utc
        from chosen
    )
