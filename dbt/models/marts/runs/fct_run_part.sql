{{ config(materialized="incremental", incremental_strategy="by_run") }}

with
    run as (select *, bytes / 1073741824 as gb from {{ runs(ref("fct_run")) }}),

    whole as (select * from {{ runs(ref("fct_run_total")) }}),

    verb as (

        select origin, run_id, 'MQ ' || part as part, {{ bounded(sum_of_events("cpu_seconds$"), "seconds") }}
        from {{ runs(ref("fct_run_resource")) }}
        where resource = 'MQ verb'
        group by all

    ),

    wait as (

        select
            origin,
            run_id,
            case
                when resource = 'MQ wait'
                then 'MQ ' || part
                when resource = 'DASD'
                then 'DASD ' || part
                else resource
            end as part,
            {{ bounded(sum_of_events("busy_seconds$"), "seconds") }}
        from {{ runs(ref("fct_run_resource")) }}
        where resource in ('CF', 'MQ wait', 'network') or (resource = 'DASD' and part <> 'response')
        group by all

    ),

    -- The parts of each split that records contain, in seconds.
    known_part as (

        {% for split, mart, part in [
            ("address space", "fct_run_address_space", "address_space"),
            ("class", "fct_run_class", "service_class"),
            ("system", "fct_run_system", "system"),
        ] %}
            select
                origin,
                run_id,
                'cpu' as what,
                '{{ split }}' as split,
                {{ part }} as part,
                {{ bounded(known_sum("cpu_seconds$"), "seconds") }}
            from {{ runs(ref(mart)) }}
            group by origin, run_id, {{ part }}

            union all by name

        {% endfor %}
        {% for part, seconds in [
            ("on CPs, for CPs alone", "general_purpose_seconds$ - ziip_on_cp_seconds^"),
            ("on CPs, zIIP-eligible", "ziip_on_cp_seconds$"),
            ("on zIIPs", "ziip_cp_equivalent_seconds$"),
        ] %}
            select
                origin,
                run_id,
                'cpu' as what,
                'zIIP' as split,
                '{{ part }}' as part,
                {{ bounded(seconds, "seconds") }}
            from whole

            union all by name

        {% endfor %}
        select *, 'cpu' as what, 'verb' as split
        from verb

        union all by name

        select *, 'time' as what, 'wait' as split
        from wait

    ),

    total as (

        select origin, run_id, 'cpu' as what, {{ bounded("cpu_seconds$", "seconds") }}
        from whole

        union all

        select
            origin,
            run_id,
            'time' as what,
            {{ bounded("coalesce(run.transfer_seconds, run.seconds)", "seconds") }}
        from run

    ),

    -- Add the remainder, so that the parts add up to the total. For waits it can be negative, because
    -- they overlap each other and the work.
    part as (

        select *
        from known_part
        where seconds is not null

        union all

        select
            known_part.origin,
            known_part.run_id,
            known_part.what,
            known_part.split,
            if(count(*) = count(known_part.seconds), '', 'unknown, or ') || case
                known_part.split
                when 'address space'
                then 'not charged to address spaces'
                when 'verb'
                then 'not in verbs of MQ'
                when 'wait'
                then 'not waiting for these'
            end as part,
            {{ bounded("any_value(total.seconds$) - sum(known_part.seconds^)", "seconds") }}
        from known_part
        inner join total using (origin, run_id, what)
        where known_part.split in ('address space', 'verb', 'wait')
        group by known_part.origin, known_part.run_id, known_part.what, known_part.split

    ),

    measure(what, metric, unit) as (

        values
            ('cpu', 'cost_per_GB', 'CPU s/GB'),
            ('cpu', 'cost_per_transaction', 'CPU us'),
            ('time', 'seconds_per_GB', 's/GB'),
            ('time', 'seconds_per_transaction', 'us')

    ),

    measured as (

        select
            run.origin,
            run.source_id,
            run.record_no,
            run.run_id,
            run.campaign,
            run.configuration_id,
            run.git_revision,
            run.start_utc,
            measure.metric,
            part.split,
            part.part,
            {{
                bounded(
                    "if(ends_with(measure.metric, '_GB'), "
                    ~ ratio("part.seconds$", "run.gb")
                    ~ ", "
                    ~ average_us("part.seconds$", "run.transactions")
                    ~ ")",
                    "value",
                )
            }},
            measure.unit,
            run.is_compared,
            run.source_ids
        from part
        inner join measure using (what)
        inner join run using (origin, run_id)

    )

-- The parts of a split are compared if none can be off by more than the whole may be.
select
    * replace (
        is_compared
        and {{
            is_narrow(
                figure(
                    "sum(value) over split",
                    "0",
                    "max(coalesce(value_high - value_low, 'infinity'::double)) over split",
                )
            )
        }} as is_compared
    )
from measured
where value is not null
window split as (partition by origin, run_id, metric, split)
