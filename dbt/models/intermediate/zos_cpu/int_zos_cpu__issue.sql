{% set nothing = "cast([] as varchar[])" %}

with interval as (

    select * from {{ days(ref('int_zos_cpu__interval'), around=1) }}

),

processor as (

    select * from {{ days(ref('int_zos_cpu__processor_total'), around=1) }}

),

record as (

    select * from {{ days(ref('int_rmf__record'), around=1) }}
    where part_no = 1

),

class as (

    select
        record.origin,
        record.source_id,
        record.record_no,
        record.sysplex,
        record.system_id,
        record.interval_start_utc,
        record.interval_end_utc,
        period.class_name,
        period.period,
        period.report_class,
        period.cpu_issue,
        period.general_purpose_seconds,
        period.ziip_seconds
    from {{ days(ref('int_zos_cpu__class_period'), around=1) }} as period
    inner join record using (source_id, record_no)

),

address_space as (

    select * from {{ days(ref('int_zos_cpu__address_space'), around=1) }}

),

-- --- intervals

-- Records of types 42, 113, 115 and 116 do not name their sysplex.
ambiguous_system as (

    select
        'ambiguous_system' as kind,
        'warning' as severity,
        origin,
        arg_min(source_id, (interval_start_utc, sysplex)) as source_id,
        arg_min(record_no, (interval_start_utc, sysplex)) as record_no,
        cast(null as varchar) as sysplex,
        system_id,
        min(interval_start_utc) as start_utc,
        max(interval_end_utc) as end_utc,
        cast(null as varchar) as subject,
        format(
            'sysplexes {} have a system {} each',
            string_agg(distinct sysplex, ' and ' order by sysplex), system_id
        ) as found,
        'kept apart by sysplex, but types 42, 113, 115 and 116 and the scopes of runs do not tell'
        || ' them apart' as done,
        ['work', 'devices', 'mq'] as affects
    from interval
    group by origin, system_id, cast(interval_start_utc as date)
    having count(distinct sysplex) > 1

),

overlapping as (

    select
        origin,
        sysplex,
        system_id,
        used_start_utc,
        used_end_utc,
        epoch(used_end_utc - used_start_utc) as used_seconds,
        case when record_type in (70, 72) then 'types 70 and 72' else 'type ' || record_type end
            as subject,
        arg_min(source_id, (interval_start_utc, source_id, record_no)) as source_id,
        arg_min(record_no, (interval_start_utc, source_id, record_no)) as record_no,
        count(distinct interval_start_utc) as intervals,
        array_to_string(
            list_sort(list(distinct cast(round(interval_seconds) as integer))), ' and '
        ) as seconds
    from record
    where used_start_utc is not null
    group by all

),

overlapping_intervals as (

    select
        'overlapping_intervals' as kind,
        'warning' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        used_start_utc as start_utc,
        used_end_utc as end_utc,
        subject,
        format(
            'intervals that overlap one of {:.6g} s: {}, of {} s', used_seconds, intervals, seconds
        ) as found,
        format('the interval of {:.6g} s is used, the others are left out', used_seconds) as done,
        case when subject like '%70%' then ['cpu', 'ziip', 'classes'] else ['devices'] end as affects
    from overlapping

),

interval_hour as (

    select
        *,
        date_trunc('hour', interval_start_utc) as hour,
        round(interval_seconds) as seconds
    from interval
    where sysplex <> ''

),

interval_lengths_differ as (

    select
        'interval_lengths_differ' as kind,
        'note' as severity,
        origin,
        arg_min(source_id, (interval_start_utc, system_id)) as source_id,
        arg_min(record_no, (interval_start_utc, system_id)) as record_no,
        sysplex,
        cast(null as varchar) as system_id,
        min(interval_start_utc) as start_utc,
        max(interval_end_utc) as end_utc,
        cast(null as varchar) as subject,
        format(
            'the systems have intervals of {} s',
            array_to_string(list_sort(list(distinct cast(seconds as integer))), ', ')
        ) as found,
        'intervals of the sysplex are as long as the longest, and shorter ones are added up' as done,
        {{ nothing }} as affects
    from interval_hour
    semi join (
        select origin, sysplex, hour
        from (
            select origin, sysplex, hour, system_id, max(seconds) as seconds
            from interval_hour
            group by all
        )
        group by origin, sysplex, hour
        having max(seconds) - min(seconds) > 2
    ) using (origin, sysplex, hour)
    group by origin, sysplex, cast(interval_start_utc as date)

),

-- --- missing types: intervals one after another are one finding

present as (

    select
        interval.*,
        cast(interval_start_utc as date) as day_utc,
        processor.source_id is not null as has_type_70,
        class.system_id is not null as has_type_72,
        address_space.system_id is not null as has_type_30
    from interval
    left join (select distinct source_id, record_no from processor) as processor
        using (source_id, record_no)
    left join (
        select distinct origin, sysplex, system_id, interval_start_utc from class
    ) as class using (origin, sysplex, system_id, interval_start_utc)
    left join (
        select distinct origin, sysplex, system_id, rmf_interval_start_utc as interval_start_utc
        from address_space
        where rmf_interval_start_utc is not null
    ) as address_space using (origin, sysplex, system_id, interval_start_utc)

),

{% for type, what, affects in [
    (70, "processors", "['cpu', 'ziip']"), (72, "classes", "['ziip', 'classes']"),
    (30, "address spaces", "['address spaces']"),
] %}
no_type_{{ type }} as (

    select
        'no_type_{{ type }}' as kind,
        'warning' as severity,
        origin,
        arg_min(source_id, interval_start_utc) as source_id,
        arg_min(record_no, interval_start_utc) as record_no,
        sysplex,
        system_id,
        min(interval_start_utc) as start_utc,
        max(interval_end_utc) as end_utc,
        cast(null as varchar) as subject,
        format('intervals of the system without type {{ type }}: {}', count(*)) as found,
        'figures of {{ what }} are null' as done,
        {{ affects }} as affects
    from (
        select
            *,
            row_number() over (
                partition by origin, sysplex, system_id, day_utc order by interval_start_utc
            ) - row_number() over (
                partition by origin, sysplex, system_id, day_utc, has_type_{{ type }}
                order by interval_start_utc
            ) as island
        from present
    )
    where not has_type_{{ type }}
    group by origin, sysplex, system_id, day_utc, island

),

{% endfor %}
-- --- processors

{% for boost, effect, affects in [
    ("ziip", "work that is not eligible runs on zIIPs too", "['ziip']"),
    ("speed", "CPs run at full speed, and CPU time is shorter than usual", "['cpu']"),
] %}
{{ boost }}_boost as (

    select
        '{{ boost }}_boost' as kind,
        'warning' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        start_utc,
        end_utc,
        cast(null as varchar) as subject,
        '{{ boost | replace("ziip", "zIIP") }} boost in '
        || case when whole then 'all' else 'some' end || ' of the interval' as found,
        'figures are as recorded: {{ effect }}' as done,
        {{ affects }} as affects
    from (
        select
            record.origin,
            record.sysplex,
            record.system_id,
            record.interval_start_utc as start_utc,
            max(record.interval_end_utc) as end_utc,
            arg_min(record.source_id, (record.record_type, record.source_id, record.record_no))
                as source_id,
            arg_min(record.record_no, (record.record_type, record.source_id, record.record_no))
                as record_no,
            bool_or(record.{{ boost }}_boost) as whole
        from record
        left join (
            select source_id, record_no
            from {{ days(ref('int_zos_cpu__logical_processor'), around=1) }}
            where own_partition and some_{{ boost }}_boost
            group by all
        ) as boosted using (source_id, record_no)
        where
            record.usable
            and (record.{{ boost }}_boost or boosted.source_id is not null)
        group by record.origin, record.sysplex, record.system_id, record.interval_start_utc
        union all by name
        -- Type 30 tells it too, where there are no records of RMF.
        select
            origin,
            sysplex,
            system_id,
            interval_start_utc as start_utc,
            interval_end_utc as end_utc,
            arg_min(source_id, (source_id, record_no)) as source_id,
            arg_min(record_no, (source_id, record_no)) as record_no,
            false as whole
        from address_space
        where {{ boost }}_boost and rmf_interval_start_utc is null
        group by origin, sysplex, system_id, interval_start_utc, interval_end_utc
    )

),

{% endfor %}
multithreading_unknown as (

    select
        'multithreading_unknown' as kind,
        'error' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        interval_start_utc as start_utc,
        interval_end_utc as end_utc,
        processor_type as subject,
        format(
            '{}s run several threads, and the record has no {}', processor_type,
            case
                when capacity_factor is null then 'capacity factor'
                else 'time that cores were busy'
            end
        ) as found,
        'their CPU time as types 30 and 72 count it is null' as done,
        case when processor_type = 'CP' then ['cpu'] else ['cpu', 'ziip'] end as affects
    from processor
    where
        multithreaded
        and impossible_dispatch_seconds is null
        and (capacity_factor is null or core_seconds is null)

),

dispatch_exceeds_online as (

    select
        'dispatch_exceeds_online' as kind,
        'error' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        interval_start_utc as start_utc,
        interval_end_utc as end_utc,
        processor_type as subject,
        format(
            'a {} was dispatched for {:.6g} s in an interval of {:.6g} s', processor_type,
            impossible_dispatch_seconds, interval_seconds
        ) as found,
        'dispatch time and CPU time of the ' || processor_type || 's are null' as done,
        case when processor_type = 'CP' then ['cpu'] else ['cpu', 'ziip'] end as affects
    from processor
    where impossible_dispatch_seconds is not null

),

wait_exceeds_online as (

    select
        'wait_exceeds_online' as kind,
        'error' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        interval_start_utc as start_utc,
        interval_end_utc as end_utc,
        processor_type as subject,
        format(
            'a {} waited or was parked for {:.6g} s in an interval of {:.6g} s', processor_type,
            impossible_wait_seconds, interval_seconds
        ) as found,
        'wait time and busy time of the ' || processor_type || 's are null' as done,
        case
            when not allocated then {{ nothing }}
            when processor_type = 'CP' then ['cpu']
            else ['cpu', 'ziip']
        end as affects
    from processor
    where impossible_wait_seconds is not null

),

-- --- classes

captured_exceeds_dispatched as (

    select
        'captured_exceeds_dispatched' as kind,
        'error' as severity,
        processor.origin,
        processor.source_id,
        processor.record_no,
        processor.sysplex,
        processor.system_id,
        processor.interval_start_utc as start_utc,
        processor.interval_end_utc as end_utc,
        processor.processor_type as subject,
        format(
            'type 72 charges {:.6g} s on {}s, type 70 has {:.6g} s', charged.seconds,
            processor.processor_type, processor.used_seconds
        ) as found,
        'both are shown as recorded; uncaptured time is null' as done,
        ['cpu', 'ziip', 'classes'] as affects
    from processor
    inner join (
        {% for type, column in [("CP", "general_purpose_seconds"), ("zIIP", "ziip_seconds")] %}
        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            '{{ type }}' as processor_type,
            sum({{ column }}) as seconds
        from class
        where not report_class
        group by all
        {{ "union all" if not loop.last }}
        {% endfor %}
    ) as charged using (origin, sysplex, system_id, interval_start_utc, processor_type)
    where {{ exceeds("charged.seconds", "processor.used_seconds") }}

),

negative_cpu_time as (

    select
        'negative_cpu_time' as kind,
        'error' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        interval_start_utc as start_utc,
        interval_end_utc as end_utc,
        case when report_class then 'report class ' else 'service class ' end || class_name
            as subject,
        format('type 72, period {}: {}', period, cpu_issue) as found,
        'CPU time of the class is null, and so is that of all classes' as done,
        ['classes'] as affects
    from class
    where cpu_issue is not null

),

-- --- address spaces

cpu_exceeds_elapsed as (

    select
        'cpu_exceeds_elapsed' as kind,
        'error' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        interval_start_utc as start_utc,
        interval_end_utc as end_utc,
        job_name as subject,
        'type 30: ' || cpu_issue as found,
        'that time is null, and so is the CPU time of the address space if it is TCB or SRB time'
            as done,
        ['address spaces'] as affects
    from address_space
    where usable and cpu_issue is not null

),

overlapping_address_space_intervals as (

    select
        'overlapping_address_space_intervals' as kind,
        'warning' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        interval_start_utc as start_utc,
        interval_end_utc as end_utc,
        job_name as subject,
        format(
            'type 30: the interval overlaps that of record {} of load {}, of the same address space',
            used_record.record_no, left(used_record.source_id, 12)
        ) as found,
        'left out: the other one is longer, or was written later' as done,
        ['address spaces'] as affects
    from address_space
    where used_record is not null

),

-- Type 30 rounds down, and its intervals may lie in two of RMF: that much may differ.
reconciled as (

    select *
    from (
        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            {{ possible_sum("general_purpose_seconds", "cpu_issue") }} as class_seconds
        from class
        where not report_class
        group by all
    )
    inner join (
        select
            origin,
            sysplex,
            system_id,
            rmf_interval_start_utc as interval_start_utc,
            {{ possible_sum("general_purpose_seconds", "cpu_issue") }} as address_space_seconds,
            coalesce(sum(general_purpose_seconds) filter (where not aligned), 0)
            + 6e-2 * count(*) as allowed_seconds
        from address_space
        where usable and rmf_interval_start_utc is not null
        group by all
    ) using (origin, sysplex, system_id, interval_start_utc)

),

classes_and_address_spaces_differ as (

    select
        'classes_and_address_spaces_differ' as kind,
        'warning' as severity,
        interval.origin,
        interval.source_id,
        interval.record_no,
        interval.sysplex,
        interval.system_id,
        interval.interval_start_utc as start_utc,
        interval.interval_end_utc as end_utc,
        cast(null as varchar) as subject,
        format(
            'service classes used {:.6g} s of CPs, and address spaces {:.6g} s',
            reconciled.class_seconds, reconciled.address_space_seconds
        ) as found,
        'both are shown as recorded: records of type 30 may be missing' as done,
        ['address spaces'] as affects
    from reconciled
    inner join interval using (origin, sysplex, system_id, interval_start_utc)
    where
        abs(reconciled.class_seconds - reconciled.address_space_seconds)
        - reconciled.allowed_seconds
        > greatest(1, 0.1 * greatest(reconciled.class_seconds, reconciled.address_space_seconds))

),

-- --- partitions

-- Each partition tells how many processor sections come before its own.
partition as (

    select
        *,
        coalesce(
            sum(logical_processor_sections) over (
                partition by source_id, record_no
                order by section_no
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as sections_passed
    from {{ merged_sections(ref('stg_zos_cpu__partition')) }}

),

partition_sections_differ as (

    select
        'partition_sections_differ' as kind,
        'error' as severity,
        record.origin,
        record.source_id,
        record.record_no,
        record.sysplex,
        record.system_id,
        record.interval_start_utc as start_utc,
        record.interval_end_utc as end_utc,
        partition.partition_name as subject,
        format(
            'its first processor is number {} by its own section, and {} by those before it',
            partition.sections_before + 1, partition.sections_passed + 1
        ) as found,
        'processors are counted to partitions in their order' as done,
        ['cpu', 'ziip'] as affects
    from partition
    inner join record using (source_id, record_no)
    where
        record.parts = 1
        and partition.logical_processor_sections > 0
        and partition.sections_before <> partition.sections_passed

),

-- Of other partitions, only those of a capacity group are in a mart.
consumption_unknown as (

    select
        'consumption_unknown' as kind,
        'warning' as severity,
        origin,
        arg_min(source_id, interval_start_utc) as source_id,
        arg_min(record_no, interval_start_utc) as record_no,
        sysplex,
        system_id,
        min(interval_start_utc) as start_utc,
        max(interval_end_utc) as end_utc,
        partition_name as subject,
        format(
            'intervals whose consumed MSU of the partition are not known: {}, as {}', count(*),
            case
                when bool_or(used_seconds is not null) then 'the record has no capacity factor'
                else 'type 70 has no CPU time or wait time of it that can be right'
            end
        ) as found,
        'NULL, like sums and averages with them' as done,
        ['capacity'] as affects
    from {{ days(ref('int_zos_capacity__partition'), around=1) }}
    where service_units is null and (own_partition or capacity_group is not null)
    group by
        origin, sysplex, system_id, partition_name, partition_number,
        cast(interval_start_utc as date)

),

-- --- what is wrong with the times of address spaces

-- The time in the header says, in local time, when the record was written.
interval_ends_before_start as (

    select
        'interval_ends_before_start' as kind,
        'error' as severity,
        origin,
        source_id,
        record_no,
        sysplex,
        system_id,
        told_end_utc as start_utc,
        greatest(
            told_start_utc,
            smf_time_local
            - to_minutes(cast(15 * round(epoch(smf_time_local - told_start_utc) / 900) as integer))
        ) as end_utc,
        job_name as subject,
        format(
            'type 30: the interval ends at {} and starts at {}', told_end_utc, told_start_utc
        ) as found,
        'the times are null, and the record counts in no interval of RMF' as done,
        ['address spaces'] as affects
    from address_space
    where told_start_utc is not null

),

issue as (

    {% for kind in [
        "ambiguous_system", "overlapping_intervals", "interval_lengths_differ", "no_type_70",
        "no_type_72", "no_type_30", "ziip_boost", "speed_boost", "multithreading_unknown",
        "dispatch_exceeds_online", "wait_exceeds_online", "captured_exceeds_dispatched",
        "negative_cpu_time", "cpu_exceeds_elapsed", "overlapping_address_space_intervals",
        "classes_and_address_spaces_differ", "partition_sections_differ", "consumption_unknown",
        "interval_ends_before_start",
    ] %}
    select * from {{ kind }}
    {{ "union all by name" if not loop.last }}
    {% endfor %}

)

select
    origin,
    source_id,
    record_no,
    kind,
    severity,
    sysplex,
    system_id,
    start_utc,
    end_utc,
    subject,
    cast(null as varchar) as run_id,
    found,
    done,
    affects
from issue
