-- Of each system and kind of figures, the periods that records cover, those between them, and what is in
-- doubt in each. Whatever was not recorded at all on a day has no row: nothing may be loaded for it.
with
    recorded as (

        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            interval_end_utc,
            source_id,
            record_no,
            unnest(
                case
                    record_type
                    when 70
                    then ['cpu', 'ziip', 'capacity']
                    when 72
                    then ['classes']
                    else ['devices']
                end
            ) as figures
        from {{ ref("int_rmf__record") }}
        where
            usable
            and part_no = 1
            and row(record_type, record_subtype) in (row(70, 1), row(72, 3), row(74, 1))
        union all by name
        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            interval_end_utc,
            source_id,
            record_no,
            'address spaces' as figures
        from {{ ref("int_zos_cpu__address_space") }}
        where usable
        union all by name
        select origin, system_id, interval_start_utc, interval_end_utc, source_id, record_no, 'mq' as figures
        from {{ ref("int_mq__record") }}
        where record_type = 115 and usable

    ),

    interval as (

        select
            origin,
            coalesce(sysplex, '') as sysplex,
            system_id,
            figures,
            interval_start_utc as start_utc,
            max(interval_end_utc) as end_utc,
            {{ first_record() }}
        from recorded
        where interval_end_utc > interval_start_utc
        group by all

    ),

    followed as (

        select *, max(end_utc) over (series rows between unbounded preceding and 1 preceding) as covered_until
        from interval
        window series as (partition by origin, sysplex, system_id, figures order by start_utc)

    ),

    period as (

        select * exclude (covered_until), true as is_recorded
        from followed
        union all
        select
            * exclude (covered_until) replace (covered_until as start_utc, start_utc as end_utc),
            false as is_recorded
        from followed
        -- RMF's intervals end up to a second before the next.
        where
            covered_until + interval 2 second < start_utc
            and cast(covered_until as date) = cast(start_utc as date)

    ),

    known as (

        select
            period.*,
            list(distinct finding.kind order by finding.kind) filter (finding.kind is not null) as issue_kinds
        from period
        left join
            {{ ref("int_lake__finding") }} as finding
            on period.origin = finding.origin
            and period.system_id = finding.system_id
            -- Records of MQ do not name a sysplex.
            and (period.sysplex = finding.sysplex or finding.sysplex is null or period.sysplex = '')
            and finding.run_id is null
            and finding.severity in ('error', 'warning')
            and list_contains(finding.affects, period.figures)
            and finding.start_utc < period.end_utc
            and finding.end_utc > period.start_utc
        group by all

    ),

    -- Periods that follow one another and have the same in doubt are one.
    numbered as (

        select *, count_if(is_new) over (series rows unbounded preceding) as period_no
        from
            (
                select
                    *,
                    row(is_recorded, issue_kinds, cast(start_utc as date))
                    is distinct from lag(row(is_recorded, issue_kinds, cast(start_utc as date))) over series
                    as is_new
                from known
                window
                    series as (
                        partition by origin, sysplex, system_id, figures order by start_utc, is_recorded
                    )
            )
        window series as (partition by origin, sysplex, system_id, figures order by start_utc, is_recorded)

    )

select
    origin,
    {{ first_record(["start_utc"]) }},
    nullif(sysplex, '') as sysplex,
    system_id,
    figures,
    min(start_utc) as start_utc,
    max(end_utc) as end_utc,
    is_recorded,
    is_recorded and issue_kinds is null as is_known,
    coalesce(issue_kinds, []) as issue_kinds
from numbered
group by origin, sysplex, system_id, figures, period_no, is_recorded, issue_kinds
