with
    declared as (

        select
            *,
            row_number() over (order by declared_at_utc, source_id, record_no) as declared_no,
            -- By a clock that is wrong: it would be the latest run until then.
            coalesce(origin = 'measured' and start_utc > declared_at_utc + interval 1 day, false) as is_ahead
        from {{ ref("int_runs__manifest") }}

    ),

    -- The loads of a campaign that have rows of one time, in the order of versions of a table.
    version as (

        select
            *,
            lead(source_id) over later_version as later_id,
            lead(figures) over later_version as later_figures
        from
            (
                select
                    origin,
                    campaign,
                    start_utc,
                    stop_utc,
                    source_id,
                    any_value(last_start_utc) as last_start_utc,
                    any_value(runs) as runs,
                    min(declared_no) as first_no,
                    list(distinct figures_id) as figures
                from
                    (
                        select
                            *,
                            max(start_utc) over (partition by source_id) as last_start_utc,
                            count(*) over (partition by source_id) as runs
                        from declared
                        where is_of_table and not is_ahead
                    )
                group by origin, campaign, start_utc, stop_utc, source_id
            )
        window
            later_version as (
                partition by origin, campaign, start_utc, stop_utc order by last_start_utc, runs, first_no
            )

    ),

    -- A later version holds most of the earlier rows as they were; others share a time with it.
    replaced as (

        select *
        from version
        where later_id is not null
        qualify
            2 * count(*) filter (list_has_any(figures, later_figures)) over (partition by source_id, later_id)
            >= count(*) over (partition by source_id, later_id)

    ),

    -- Runs of one series, time and content are one. A tool may have printed equal ones after another.
    counted as (

        select
            run.*,
            replaced.later_id,
            coalesce(list_contains(replaced.later_figures, run.figures_id), false) as is_as_later,
            replaced.later_id is null and not run.owns_its_time and row_number() over same > 1 as is_repeated
        from
            (
                select
                    *,
                    if(
                        is_of_table,
                        0,
                        row_number() over (
                            partition by source_id, series_id, start_utc, stop_utc, figures_id
                            order by record_no
                        )
                    ) as place
                from declared
            ) as run
        left join replaced using (origin, campaign, start_utc, stop_utc, source_id)
        window
            same as (
                partition by
                    run.origin,
                    run.owns_its_time,
                    run.series_id,
                    run.start_utc,
                    run.stop_utc,
                    run.figures_id,
                    if(run.is_start_of_file, run.source_id, ''),
                    run.place,
                    replaced.later_id is null
                order by run.declared_no
            )

    ),

    numbered as (

        select
            *,
            later_id is null and not is_repeated as is_counted,
            row_number() over (
                partition by origin, run_id, is_ahead, later_id is null and not is_repeated
                order by declared_no
            )
            = 1 as is_declared_first
        from counted

    ),

    -- A run without LPARs may have used any LPAR, including one that no run names ('').
    run_lpar as (

        select
            declared_no,
            origin,
            run_id,
            is_declared_first,
            start_utc,
            stop_utc,
            unnest(
                case
                    when len(lpars) > 0
                    then lpars
                    else
                        list_append(
                            coalesce(list_distinct(flatten(list(lpars) over (partition by origin))), []), ''
                        )
                end
            ) as lpar
        from numbered
        where (is_declared_first or is_named) and is_counted and owns_its_time and not is_ahead

    ),

    -- Only these runs can overlap another. They are few enough to compare in pairs.
    overlap_candidate as (

        select *
        from run_lpar
        window line as (partition by origin, lpar order by start_utc, declared_no)
        qualify
            coalesce(
                start_utc < max(stop_utc) over (line rows between unbounded preceding and 1 preceding), false
            )
            or coalesce(stop_utc > lead(start_utc) over line, false)

    ),

    overlapping_pair as (

        select distinct late.declared_no as late_no, early.declared_no as early_no
        from overlap_candidate as late
        inner join
            overlap_candidate as early
            on late.origin = early.origin
            and late.lpar = early.lpar
            and late.start_utc < early.stop_utc
            and late.stop_utc > early.start_utc
            and late.declared_no > early.declared_no
            and late.run_id <> early.run_id
            and early.is_declared_first

    ),

    overlapping as (

        select late_no as declared_no, min(early_no) as early_no from overlapping_pair group by late_no

    ),

    overlapped as (

        select early_no as declared_no, min(late_no) as late_no from overlapping_pair group by early_no

    ),

    -- A name is that of the first run that has it, unless that overlaps another: it may be corrected.
    named as (

        select
            numbered.*,
            overlapping.early_no,
            row_number() over name = 1 as is_first,
            first(source_id) over name as first_source_id,
            first(record_no) over name as first_record_no
        from numbered
        left join overlapping using (declared_no)
        window
            name as (
                partition by origin, run_id, is_ahead, is_counted
                order by is_named and overlapping.early_no is not null, declared_no
            )

    )

select
    named.* exclude (
        declared_no,
        is_ahead,
        is_declared_first,
        is_first,
        early_no,
        is_counted,
        first_source_id,
        first_record_no,
        is_of_table,
        is_named,
        is_start_of_file,
        series_id,
        figures_id,
        place,
        later_id,
        is_as_later,
        is_repeated
    ) replace (
        -- The name that perfhouse gave a run is another's: the one that was loaded first keeps it.
        if(
            named.is_first or named.is_named or not named.is_counted,
            named.run_id,
            named.run_id || '-' || left(md5(named.source_id || '|' || named.record_no), 6)
        ) as run_id
    ),
    case
        when named.is_ahead
        then format('starts at {} UTC, and was loaded before, at {}', named.start_utc, named.declared_at_utc)
        when named.is_repeated or named.is_as_later
        then 'repeats a run that is loaded'
        when named.later_id is not null
        then format('corrected by load {}, a later version of the table', left(named.later_id, 12))
        when not named.is_first and named.is_named and named.early_no is null
        then
            format(
                'run_id {} is declared already, by run {} of load {}',
                named.run_id,
                named.first_record_no,
                left(named.first_source_id, 12)
            )
        when early.declared_no is not null
        then
            format(
                'overlaps run {}, {} to {} UTC, on an LPAR that it may have used too',
                early.run_id,
                early.start_utc,
                early.stop_utc
            )
    end as refused,
    -- The first of two overlapping runs stays, but its figures include what the other did meanwhile.
    case
        when late.declared_no is not null
        then
            format(
                'run {}, which is refused, may have used the same LPARs, {} to {} UTC',
                late.run_id,
                late.start_utc,
                late.stop_utc
            )
    end as overlapped
from named
left join declared as early on named.early_no = early.declared_no
left join overlapped on named.declared_no = overlapped.declared_no
left join declared as late on overlapped.late_no = late.declared_no
