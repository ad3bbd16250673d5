with
    declared as (

        select
            *,
            row_number() over (order by declared_at_utc, source_id, record_no) as declared_no,
            -- By a clock that is wrong: it would be the latest run until then.
            coalesce(origin = 'measured' and start_utc > declared_at_utc + interval 1 day, false) as is_ahead
        from {{ ref("int_runs__manifest") }}

    ),

    numbered as (

        select
            *,
            row_number() over name = 1 as is_first,
            first(source_id) over name as first_source_id,
            first(record_no) over name as first_record_no
        from declared
        window name as (partition by origin, run_id, is_ahead order by declared_no)

    ),

    -- A run without LPARs may have used any LPAR, including one that no run names ('').
    run_lpar as (

        select
            declared_no,
            origin,
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
        where is_first and owns_its_time and not is_ahead

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

    ),

    overlapping as (

        select late_no as declared_no, min(early_no) as early_no from overlapping_pair group by late_no

    ),

    overlapped as (

        select early_no as declared_no, min(late_no) as late_no from overlapping_pair group by early_no

    )

select
    numbered.* exclude (declared_no, is_ahead, is_first, first_source_id, first_record_no),
    case
        when numbered.is_ahead
        then
            format(
                'starts at {} UTC, and was loaded before, at {}', numbered.start_utc, numbered.declared_at_utc
            )
        when not numbered.is_first
        then
            format(
                'run_id {} is declared already, by run {} of load {}',
                numbered.run_id,
                numbered.first_record_no,
                left(numbered.first_source_id, 12)
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
from numbered
left join overlapping using (declared_no)
left join declared as early on overlapping.early_no = early.declared_no
left join overlapped using (declared_no)
left join declared as late on overlapped.late_no = late.declared_no
