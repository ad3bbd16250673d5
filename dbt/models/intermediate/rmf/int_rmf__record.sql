with
    joined as (

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
        from {{ source("staging", "rmf__record") }} as record
        inner join {{ ref("stg_lake__load") }} as load using (source_id)
        left join {{ ref("stg_rmf__product") }} as product using (source_id, record_no)
        left join {{ ref("stg_rmf__part") }} as part using (source_id, record_no)
        left join {{ ref("stg_rmf__subject") }} as subject using (source_id, record_no)

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
        window
            chain as (
                partition by source_id, record_type, record_subtype, sysplex, system_id, interval_start_local
                order by record_no
            )

    ),

    grouped as (

        select
            *,
            count(*) filter (where not follows) over (
                partition by source_id, record_type, record_subtype, sysplex, system_id, interval_start_local
                order by record_no
                rows between unbounded preceding and current row
            ) as set_no
        from chained

    ),

    in_file as (

        select
            *,
            source_id as logical_source_id,
            min(record_no) over whole as logical_record,
            count(*) over whole = parts as complete,
            first(subject) over whole as record_subject
        from grouped
        window
            whole as (
                partition by
                    source_id, record_type, record_subtype, sysplex, system_id, interval_start_local, set_no
                order by subject is null, part_no
                rows between unbounded preceding and unbounded following
            )

    ),

    {% set interval = (
        "origin, record_type, record_subtype, sysplex, system_id, interval_start_local,"
        ~ " interval_token_utc, parts"
    ) %}
    -- Parts of a record that is not whole in its file may be in other files, or in another order: if its
    -- interval has each part once, they are one record. Only the first may name its subject.
    scattered as (

        select
            source_id,
            record_no,
            max(subject) over (partition by {{ interval }}) as whole_subject,
            first(source_id) over numbers as first_source_id,
            first(record_no) over numbers as first_record_no
        from
            (
                select
                    *,
                    count(*) over (partition by {{ interval }}, part_no, source_id) as of_number,
                    row_number() over (
                        partition by {{ interval }}, part_no order by loaded_at_utc, source_id, record_no
                    ) as copy_no
                from in_file
                where not complete
                qualify copy_no = 1
            )
        window
            numbers as (
                partition by {{ interval }}
                order by part_no
                rows between unbounded preceding and unbounded following
            )
        qualify
            count(*) over (partition by {{ interval }}) = parts
            and max(of_number) over (partition by {{ interval }}) = 1
            and max(subject) over (partition by {{ interval }})
            is not distinct from min(subject) over (partition by {{ interval }})

    ),

    assembled as (

        select
            in_file.* replace (
                coalesce(scattered.first_source_id, in_file.logical_source_id) as logical_source_id,
                coalesce(scattered.first_record_no, in_file.logical_record) as logical_record,
                in_file.complete or scattered.source_id is not null as complete,
                coalesce(scattered.whole_subject, in_file.record_subject) as record_subject
            ),
            scattered.source_id is not null as is_scattered
        from in_file
        left join scattered using (source_id, record_no)

    ),

    -- If overlapping dumps contain the same record, keep the complete one that was loaded first.
    -- Records of one file that agree in all these columns are distinguished by their order.
    numbered as (

        select
            source_id,
            record_no,
            dense_rank() over (
                partition by
                    source_id,
                    record_type,
                    record_subtype,
                    sysplex,
                    system_id,
                    interval_start_local,
                    interval_token_utc,
                    monitor_iii,
                    record_subject
                order by logical_record
            ) as occurrence_no
        from assembled

    ),

    ranked as (

        select
            assembled.*,
            row_number() over (
                partition by
                    assembled.origin,
                    assembled.record_type,
                    assembled.record_subtype,
                    assembled.sysplex,
                    assembled.system_id,
                    assembled.interval_start_local,
                    assembled.interval_token_utc,
                    assembled.monitor_iii,
                    assembled.record_subject,
                    numbered.occurrence_no,
                    assembled.part_no
                order by
                    assembled.complete desc,
                    assembled.is_scattered,
                    assembled.loaded_at_utc,
                    assembled.source_id,
                    assembled.record_no
            ) as copy_no
        from assembled
        inner join numbered using (source_id, record_no)

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
        from ranked
        where copy_no = 1

    ),

    -- RMF may write the same time twice: in intervals of two lengths, or that begin at other moments.
    -- Islands are times that overlapping intervals cover without a break.
    span as (

        select
            *,
            sum(cast(separate as integer)) over (
                partition by origin, sysplex, system_id, family
                order by interval_start_utc, interval_end_utc desc
            ) as island
        from
            (
                select
                    *,
                    coalesce(
                        interval_start_utc + interval 2 second >= max(interval_end_utc) over (
                            partition by origin, sysplex, system_id, family
                            order by interval_start_utc, interval_end_utc desc
                            rows between unbounded preceding and 1 preceding
                        ),
                        true
                    ) as separate
                from
                    (
                        select distinct
                            origin, sysplex, system_id, family, interval_start_utc, interval_end_utc
                        from timed
                        where valid
                    )
            )

    ),

    -- Prefer longer intervals, and among equals those that start nearest to a multiple of their length.
    preference as (

        select
            *,
            row_number() over (
                partition by origin, sysplex, system_id, family, island
                order by
                    round(epoch(interval_end_utc - interval_start_utc)) desc,
                    round(epoch(interval_start_utc)) % round(epoch(interval_end_utc - interval_start_utc)),
                    interval_start_utc
            ) as place
        from span
        where interval_end_utc > interval_start_utc + interval 1 second
        qualify count(*) over (partition by origin, sysplex, system_id, family, island) > 1

    ),

    overlapping as (

        select
            less.origin,
            less.sysplex,
            less.system_id,
            less.family,
            less.interval_start_utc,
            less.interval_end_utc,
            arg_min(better.interval_start_utc, better.place) as used_start_utc,
            arg_min(better.interval_end_utc, better.place) as used_end_utc
        from preference as less
        inner join preference as better using (origin, sysplex, system_id, family, island)
        where
            better.place < less.place
            -- Types 70 and 72 may give slightly different times for one interval.
            and not (
                abs(epoch(better.interval_start_utc - less.interval_start_utc)) <= 2
                and abs(epoch(better.interval_end_utc - less.interval_end_utc)) <= 2
            )
            and better.interval_start_utc + interval 2 second < less.interval_end_utc
            and better.interval_end_utc - interval 2 second > less.interval_start_utc
        group by all

    ),

    {% set whose = "origin, sysplex, system_id" %}
    {% set told = whose ~ ", record_type, record_subtype" %}
    -- Records that differ may tell the same interval: RMF's and another monitor's, or those of two
    -- systems with the same names. The interval that was loaded first is used.
    telling as (

        select
            *,
            sum(cast(separate as integer)) over (
                partition by {{ told }} order by interval_start_utc, interval_end_utc, first_place
            ) as interval_no
        from
            (
                select
                    *,
                    not coalesce(
                        epoch(interval_start_utc - lag(interval_start_utc) over earlier) <= same
                        and abs(epoch(interval_end_utc - lag(interval_end_utc) over earlier)) <= same,
                        false
                    ) as separate
                from
                    (
                        select
                            {{ told }},
                            interval_start_utc,
                            interval_end_utc,
                            interval_token_utc,
                            least(2, min(interval_seconds) / 4) as same,
                            min((loaded_at_utc, source_id, record_no)) as first_place
                        from timed
                        where valid
                        group by all
                    )
                window
                    earlier as (
                        partition by {{ told }} order by interval_start_utc, interval_end_utc, first_place
                    )
            )

    ),

    contradicting as (

        select
            *,
            first(interval_start_utc) over loaded as used_start_utc,
            first(interval_end_utc) over loaded as used_end_utc
        from telling
        window loaded as (partition by {{ told }}, interval_no order by first_place)
        qualify row_number() over loaded > 1

    ),

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
            timed.valid
            and overlapping.used_start_utc is null
            and contradicting.used_start_utc is null as usable,

            -- dates
            timed.smf_time_local,
            coalesce(moved.processor_start_utc, timed.interval_start_utc) as interval_start_utc,
            coalesce(moved.processor_end_utc, timed.interval_end_utc) as interval_end_utc,
            coalesce(overlapping.used_start_utc, contradicting.used_start_utc) as used_start_utc,
            coalesce(overlapping.used_end_utc, contradicting.used_end_utc) as used_end_utc
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
        left join
            contradicting
            on timed.valid
            and timed.origin = contradicting.origin
            and timed.sysplex = contradicting.sysplex
            and timed.system_id = contradicting.system_id
            and timed.record_type = contradicting.record_type
            and timed.record_subtype = contradicting.record_subtype
            and timed.interval_start_utc = contradicting.interval_start_utc
            and timed.interval_end_utc = contradicting.interval_end_utc
            and timed.interval_token_utc is not distinct from contradicting.interval_token_utc
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
                partition by {{ told }}, usable
                order by interval_start_utc
                range between unbounded preceding and interval 2 second preceding
            ) as earlier_end_utc
        from chosen
    )
