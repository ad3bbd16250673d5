-- What is missing from types 70, 72 and 30, and which of their values are impossible.
with
    interval as (select * from {{ days(ref("int_zos_cpu__interval"), around=1) }}),

    -- Of a record that has local times only, the interval before it tells the difference to UTC.
    local_interval as (

        select
            origin,
            sysplex,
            system_id,
            to_minutes(utc_offset_minutes) as utc_offset,
            interval_start_utc + utc_offset as interval_start_local
        from interval

    ),

    processor as (select * from {{ days(ref("int_zos_cpu__processor_total"), around=1) }}),

    record as (select * from {{ days(ref("int_rmf__record"), around=1) }} where part_no = 1),

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
            period.is_report_class,
            case when is_report_class then 'report class ' else 'service class ' end || class_name as subject,
            period.cpu_issue,
            case
                when period.is_missing
                then 'class_missing'
                when period.cpu_coefficient = 0 or period.srb_coefficient = 0
                then 'unweighted_service'
                when period.cpu_issue is not null and not coalesce(period.capacity_changed, false)
                then 'negative_cpu_time'
            end as issue_kind,
            16e6 / nullif(period.cpu_adjustment, 0) as service_units_per_second,
            period.general_purpose_seconds,
            period.ziip_seconds
        from {{ days(ref("int_zos_cpu__class_period"), around=1) }} as period
        inner join record using (source_id, record_no)

    ),

    address_space as (select * from {{ days(ref("int_zos_cpu__address_space"), around=1) }}),

    interval_hour as (

        select *, date_trunc('hour', interval_start_utc) as hour, round(interval_seconds) as seconds
        from interval
        where sysplex <> ''

    ),

    -- The record types found in each interval.
    present as (

        select
            interval.*,
            cast(interval_start_utc as date) as day_utc,
            processor.source_id is not null as has_type_70,
            class.system_id is not null as has_type_72,
            address_space.system_id is not null as has_type_30
        from interval
        left join
            (select distinct source_id, record_no from processor) as processor using (source_id, record_no)
        left join
            (select distinct origin, sysplex, system_id, interval_start_utc from class) as class using (
                origin, sysplex, system_id, interval_start_utc
            )
        left join
            (
                select distinct origin, sysplex, system_id, rmf_interval_start_utc as interval_start_utc
                from address_space
                where rmf_interval_start_utc is not null
            ) as address_space using (origin, sysplex, system_id, interval_start_utc)

    )

    {{ findings() }}

    -- --- intervals
    -- Records of types 42, 113, 115 and 116 do not name their sysplex.
    {% call finding("ambiguous_system") %}
select
    origin,
    {{ first_record(["interval_start_utc", "sysplex"]) }},
    system_id,
    min(interval_start_utc) as start_utc,
    max(interval_end_utc) as end_utc,
    format(
        'sysplexes {} have a system {} each',
        string_agg(distinct sysplex, ' and ' order by sysplex), system_id
    ) as found
from interval
group by origin, system_id, cast(interval_start_utc as date)
having count(distinct sysplex) > 1
    {% endcall %}

    {% call finding("overlapping_intervals") %}
select
    origin,
    {{ first_record(["interval_start_utc"]) }},
    sysplex,
    system_id,
    used_start_utc as start_utc,
    used_end_utc as end_utc,
    case when record_type in (70, 72) then 'types 70 and 72' else 'type ' || record_type end
        as subject,
    format(
        'intervals that overlap one of {:.6g} s: {}, of {} s',
        epoch(used_end_utc - used_start_utc),
        count(distinct interval_start_utc),
        array_to_string(
            list_sort(list(distinct cast(round(interval_seconds) as integer))), ' and '
        )
    ) as found,
    format(
        'the interval of {:.6g} s is used, the others are left out',
        epoch(used_end_utc - used_start_utc)
    ) as done,
    case when any_value(record_type) in (70, 72) then ['cpu', 'ziip', 'classes'] else ['devices'] end
        as affects
from record
where used_start_utc is not null
group by origin, sysplex, system_id, used_start_utc, used_end_utc, subject
    {% endcall %}

    {% call finding("interval_lengths_differ") %}
select
    origin,
    {{ first_record(["interval_start_utc", "system_id"]) }},
    sysplex,
    min(interval_start_utc) as start_utc,
    max(interval_end_utc) as end_utc,
    format(
        'the systems have intervals of {} s',
        array_to_string(list_sort(list(distinct cast(seconds as integer))), ', ')
    ) as found
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
    {% endcall %}

    -- One finding for all records of a type and interval that are left out for the same reason.
    {% call finding("interval_left_out") %}
select
    origin,
    {{ first_record() }},
    sysplex,
    system_id,
    interval_start_utc as start_utc,
    interval_end_utc as end_utc,
    subject,
    format('{}: {}', reason, count(*)) as found,
    affects
from (
    select
        record.* replace (
            coalesce(
                {{ of_interval_before("record.smf_time_local", "own_sysplex") }}, record.sysplex
            ) as sysplex,
            coalesce(
                record.interval_start_utc,
                record.smf_time_local
                - {{ of_interval_before("record.smf_time_local", "utc_offset") }}
                - to_microseconds(cast(1e6 * record.interval_seconds as bigint))
            ) as interval_start_utc,
            coalesce(
                record.interval_end_utc,
                record.smf_time_local
                - {{ of_interval_before("record.smf_time_local", "utc_offset") }}
            ) as interval_end_utc
        ),
        format('type {}-{}', record_type, record_subtype) as subject,
        case
            when not complete then 'records of which a part is missing'
            when skipped then 'records whose samples RMF marks as not valid'
            when monitor_iii then 'records of Monitor III'
            when record.utc_offset_minutes is null then 'records without the difference to UTC'
            else 'records without an interval'
        end as reason,
        {{ affected_by("record_type", "record_subtype") }} as affects
    from {{ days(ref('int_rmf__record'), around=1) }} as record
    -- Records that are too old to have the difference to UTC do not name their sysplex.
    asof left join
        (
            select *, sysplex as own_sysplex
            from local_interval
            union all
            select * replace ('' as sysplex), sysplex as own_sysplex
            from local_interval
            where sysplex <> ''
        ) as interval
        on
            record.origin = interval.origin
            and record.sysplex = interval.sysplex
            and record.system_id = interval.system_id
            and record.smf_time_local >= interval.interval_start_local
    where not record.usable and record.used_start_utc is null
        and record.contradicting_record is null
)
group by
    origin, sysplex, system_id, interval_start_utc, interval_end_utc, subject, reason, affects
    {% endcall %}

    -- The interval before it also tells the sysplex.
    {% call finding("data_lost") %}
select
    record.origin,
    record.source_id,
    record.record_no,
    {{ of_interval_before("record.start_local", "sysplex") }} as sysplex,
    record.system_id,
    record.start_local - {{ of_interval_before("record.start_local", "utc_offset") }} as start_utc,
    record.end_local - {{ of_interval_before("record.start_local", "utc_offset") }} as end_utc,
    concat_ws(
        ' ', 'type 7: SMF lost', coalesce(cast(record.records_lost as varchar), 'more than 65535'),
        'records'
    ) as found
from (
    select
        lost.*,
        load.origin
    from {{ source('staging', 'zos_cpu__data_lost') }} as lost
    inner join {{ ref('stg_lake__load') }} as load using (source_id)
) as record
asof left join local_interval as interval
    on
        record.origin = interval.origin
        and record.system_id = interval.system_id
        and record.start_local >= interval.interval_start_local
    {% endcall %}

    -- Consecutive intervals make one finding.
    {% for type in [70, 72, 30] %}
        {% call finding("no_type_" ~ type) %}
select
    origin,
    {{ first_record(["interval_start_utc"]) }},
    sysplex,
    system_id,
    min(interval_start_utc) as start_utc,
    max(interval_end_utc) as end_utc,
    format('intervals of the system without type {{ type }}: {}', count(*)) as found
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
        {% endcall %}
    {% endfor %}

    -- --- processors
    {% for boost in ["ziip", "speed"] %}
        {% call finding(boost ~ "_boost") %}
select
    * exclude (whole),
    '{{ boost | replace("ziip", "zIIP") }} boost in '
    || case when whole then 'all' else 'some' end || ' of the interval' as found
from (
    select
        record.origin,
        record.sysplex,
        record.system_id,
        record.interval_start_utc as start_utc,
        max(record.interval_end_utc) as end_utc,
        {{ first_record(["record.record_type"], of="record") }},
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
    -- Where there are no RMF records, type 30 shows it too.
    select
        origin,
        sysplex,
        system_id,
        interval_start_utc as start_utc,
        interval_end_utc as end_utc,
        {{ first_record() }},
        false as whole
    from address_space
    where {{ boost }}_boost and rmf_interval_start_utc is null
    group by origin, sysplex, system_id, interval_start_utc, interval_end_utc
)
        {% endcall %}
    {% endfor %}

    {% call finding("multithreading_unknown") %}
select
    {{ interval_of("processor") }},
    processor_type as subject,
    format(
        '{}s run several threads, and the record has no {}', processor_type,
        case
            when capacity_factor is null then 'capacity factor'
            else 'time that cores were busy'
        end
    ) as found,
    case when processor_type = 'CP' then ['cpu'] else ['cpu', 'ziip'] end as affects
from processor
where
    multithreaded
    and impossible_dispatch_seconds is null
    and (capacity_factor is null or core_seconds is null)
    {% endcall %}

    {% call finding("dispatch_exceeds_online") %}
select
    {{ interval_of("processor") }},
    processor_type as subject,
    format(
        'a {} was dispatched for {:.6g} s in an interval of {:.6g} s', processor_type,
        impossible_dispatch_seconds, interval_seconds
    ) as found,
    'dispatch time and CPU time of the ' || processor_type || 's are null' as done,
    case when processor_type = 'CP' then ['cpu'] else ['cpu', 'ziip'] end as affects
from processor
where impossible_dispatch_seconds is not null
    {% endcall %}

    {% call finding("wait_exceeds_online") %}
select
    {{ interval_of("processor") }},
    processor_type as subject,
    format(
        'a {} waited or was parked for {:.6g} s in an interval of {:.6g} s', processor_type,
        impossible_wait_seconds, interval_seconds
    ) as found,
    'wait time and busy time of the ' || processor_type || 's are null' as done,
    case
        when not allocated then []
        when processor_type = 'CP' then ['cpu']
        else ['cpu', 'ziip']
    end as affects
from processor
where impossible_wait_seconds is not null
    {% endcall %}

    -- --- classes
    {% call finding("capacity_changed_in_interval") %}
select
    {{ interval_of("interval") }},
    case
        when control.capacity_changed
            then 'type 70: the capacity of a processor changed in the interval'
            || case
                when control.capacity_change_reason = 1 then ', by hand'
                when control.capacity_change_reason > 1 then ', inside the machine'
                else ''
            end
        else format(
            'type 70 ends with {:.0f} service units per second, and type 72 with {:.0f}',
            control.service_units_per_second, class.service_units_per_second
        )
    end as found
from interval
inner join {{ merged_sections(source('staging', 'zos_cpu__control')) }} as control
    using (source_id, record_no)
left join (
    select
        origin,
        sysplex,
        system_id,
        interval_start_utc,
        max(service_units_per_second) as service_units_per_second
    from class
    group by all
) as class using (origin, sysplex, system_id, interval_start_utc)
where
    control.section_no = 1
    and (
        control.capacity_changed
        or abs(control.service_units_per_second / class.service_units_per_second - 1) > 0.005
    )
    {% endcall %}

    {% call finding("captured_exceeds_dispatched") %}
select
    {{ interval_of("processor") }},
    processor.processor_type as subject,
    format(
        'type 72 charges {:.6g} s on {}s, type 70 has {:.6g} s', charged.seconds,
        processor.processor_type, processor.used_seconds
    ) as found
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
    where not is_report_class
    group by all
    {{ "union all" if not loop.last }}
    {% endfor %}
) as charged using (origin, sysplex, system_id, interval_start_utc, processor_type)
where {{ exceeds("charged.seconds", "processor.used_seconds") }}
    {% endcall %}

    -- A class that is not charged with all of its time leaves more to nobody.
    {% call finding("uncaptured_unusual") %}
select
    * exclude (share, usual_share),
    'CP' as subject,
    format(
        '{:.0f} % of the CPU time is charged to no class; usual is {:.0f} % on that day',
        100 * share, 100 * usual_share
    ) as found
from (
    select
        {{ interval_of("processor") }},
        1 - charged.seconds / processor.used_seconds as share,
        median(share) over same_day as usual_share
    from processor
    inner join (
        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            {{ known_sum("general_purpose_seconds") }} as seconds
        from class
        where not is_report_class
        group by all
    ) as charged using (origin, sysplex, system_id, interval_start_utc)
    where
        processor.processor_type = 'CP'
        and charged.seconds is not null
        -- Of little work, much is z/OS's own.
        and processor.used_seconds > 0.05 * processor.online_seconds
    window same_day as (
        partition by
            processor.origin, processor.sysplex, processor.system_id,
            cast(processor.interval_start_utc as date)
    )
    qualify count(*) over same_day >= 6 and share - usual_share > 0.15
)
    {% endcall %}

    {% for kind, found in [
        ("negative_cpu_time", "format('type 72, period {}: {}', period, cpu_issue)"),
        (
            "unweighted_service",
            "format('type 72, period {}: {}, so that its units do not tell its time', period, cpu_issue)",
        ),
        ("class_missing", "format('type 72 of {}: {}', subject, cpu_issue)"),
    ] %}
        {% call finding(kind) %}
select {{ interval_of("class") }}, subject, {{ found }} as found
from class
where issue_kind = '{{ kind }}'
        {% endcall %}
    {% endfor %}

    -- --- address spaces
    {% call finding("cpu_exceeds_elapsed") %}
select
    {{ interval_of("address_space") }},
    job_name as subject,
    'type 30: ' || cpu_issue as found
from address_space
where usable and cpu_issue is not null
    {% endcall %}

    {% call finding("overlapping_address_space_intervals") %}
select
    {{ interval_of("address_space") }},
    job_name as subject,
    format(
        'type 30: the interval overlaps that of record {} of load {}, of the same address space',
        used_record.record_no, left(used_record.source_id, 12)
    ) as found
from address_space
where used_record is not null
    {% endcall %}

    {% call finding("leap_seconds") %}
select
    origin,
    arg_min(source_id, (interval_start_utc, source_id, record_no)) as source_id,
    arg_min(record_no, (interval_start_utc, source_id, record_no)) as record_no,
    sysplex,
    system_id,
    min(interval_start_utc) as start_utc,
    max(interval_end_utc) as end_utc,
    format(
        'type 30: the clock is {:.0f} s ahead of local times, as it counts leap seconds (CVTLSO)',
        leap_seconds
    ) as found
from address_space
where leap_seconds is not null and interval_start_utc is not null
group by origin, sysplex, system_id, leap_seconds, cast(interval_start_utc as date)
    {% endcall %}

    -- The header gives the local time at which the record was written.
    {% call finding("interval_ends_before_start") %}
select
    origin,
    source_id,
    record_no,
    sysplex,
    system_id,
    told_end_utc as start_utc,
    greatest(
        told_start_utc,
        smf_time_local
        - to_minutes({{ offset_minutes("smf_time_local", "told_start_utc") }})
    ) as end_utc,
    job_name as subject,
    format(
        'type 30: the interval ends at {} and starts at {}', told_end_utc, told_start_utc
    ) as found
from address_space
where told_start_utc is not null
    {% endcall %}

    -- Only while RMF wrote records: nothing may be loaded for other times.
    {% call finding("address_space_records_missing") %}
select distinct
    space.origin,
    space.source_id,
    space.record_no,
    space.sysplex,
    space.system_id,
    space.hole_start_utc as start_utc,
    space.interval_start_utc as end_utc,
    space.job_name as subject,
    format(
        'type 30: no interval records for {:.6g} s',
        epoch(space.interval_start_utc - space.hole_start_utc)
    ) as found
from address_space as space
inner join interval
    on
        space.origin = interval.origin
        and space.sysplex = interval.sysplex
        and space.system_id = interval.system_id
        and space.hole_start_utc + interval 2 second < interval.interval_end_utc
        and space.interval_start_utc - interval 2 second > interval.interval_start_utc
where space.usable and space.hole_start_utc is not null

union all

select
    origin,
    source_id,
    record_no,
    sysplex,
    system_id,
    interval_end_utc as start_utc,
    interval_end_utc + (interval_end_utc - interval_start_utc) as end_utc,
    job_name as subject,
    'type 30: the interval records stop, and those of other address spaces go on' as found
from address_space
where usable and stops_early
    {% endcall %}

    {% call finding("counters_decreased") %}
select
    origin,
    source_id,
    record_no,
    sysplex,
    system_id,
    counted_before_utc as start_utc,
    interval_end_utc as end_utc,
    job_name as subject,
    'type 30: CPU time since the start of the address space is less than in the record before, and'
    || ' type 70 tells of no IPL' as found
from address_space
where
    has_fallen
    and not exists (
        select 1
        from {{ merged_sections(ref('stg_zos_capacity__control')) }} as control
        inner join interval using (source_id, record_no)
        where
            interval.origin = address_space.origin
            and interval.sysplex = address_space.sysplex
            and interval.system_id = address_space.system_id
            and control.ipl_utc > address_space.counted_before_utc
            and control.ipl_utc <= address_space.interval_end_utc
    )
    {% endcall %}

    -- Type 30 rounds down, and one of its intervals may span two of RMF's, so allow that much difference.
    {% call finding("classes_and_address_spaces_differ") %}
select
    {{ interval_of("interval") }},
    format(
        'service classes used {:.6g} s of CPs, and address spaces {:.6g} s',
        class.seconds, address_space.seconds
    ) as found,
    format(
        'both are shown as recorded: records of type {} may be missing',
        if(class.seconds < address_space.seconds, 72, 30)
    ) as done,
    if(class.seconds < address_space.seconds, ['ziip', 'classes'], ['address spaces']) as affects
from (
    select
        origin,
        sysplex,
        system_id,
        interval_start_utc,
        {{ possible_sum("general_purpose_seconds", "cpu_issue") }} as seconds
    from class
    where not is_report_class
    group by all
) as class
inner join (
    select
        origin,
        sysplex,
        system_id,
        rmf_interval_start_utc as interval_start_utc,
        {{ possible_sum("general_purpose_seconds", "cpu_issue") }} as seconds,
        coalesce(sum(general_purpose_seconds) filter (where not aligned), 0)
        + 6e-2 * count(*) as allowed_seconds
    from address_space
    where usable and rmf_interval_start_utc is not null
    group by all
) as address_space using (origin, sysplex, system_id, interval_start_utc)
inner join interval using (origin, sysplex, system_id, interval_start_utc)
where
    abs(class.seconds - address_space.seconds) - address_space.allowed_seconds
    > greatest(1, 0.1 * greatest(class.seconds, address_space.seconds))
    {% endcall %}

    -- --- partitions
    -- Each partition gives the number of processor sections before its own.
    {% call finding("partition_sections_differ") %}
select
    {{ interval_of("record") }},
    partition.partition_name as subject,
    format(
        'its first processor is number {} by its own section, and {} by those before it',
        partition.sections_before + 1, partition.sections_passed + 1
    ) as found
from (
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
) as partition
inner join record using (source_id, record_no)
where
    record.parts = 1
    and partition.logical_processor_sections > 0
    and partition.sections_before <> partition.sections_passed
    {% endcall %}

    -- Of the other partitions, a mart has only those in a capacity group.
    {% call finding("consumption_unknown") %}
select
    origin,
    {{ first_record(["interval_start_utc"]) }},
    sysplex,
    system_id,
    min(interval_start_utc) as start_utc,
    max(interval_end_utc) as end_utc,
    partition_name as subject,
    format(
        'intervals whose consumed MSU of the partition are not known: {}, as {}', count(*),
        case
            when bool_or(used_seconds is not null)
                then 'the record has no capacity factor, or it changed in the interval'
            else 'type 70 has no CPU time or wait time of it that can be right'
        end
    ) as found
from {{ days(ref('int_zos_capacity__partition'), around=1) }}
where service_units is null and (own_partition or capacity_group is not null)
group by
    origin, sysplex, system_id, partition_name, partition_number,
    cast(interval_start_utc as date)
    {% endcall %}
