{{ config(materialized='incremental', incremental_strategy='by_run') }}

{#- Fraction of a run that records must cover for the run to count as fully covered. It is below 1
    because RMF intervals start at whole seconds. -#}
{% set whole = 0.99 %}

with run as (

    select * from {{ runs(ref('int_runs__run')) }}

),

work as (

    select * from {{ runs(ref('int_runs__work')) }}

),

coverage as (

    select
        origin,
        run_id,
        list(system_id order by system_id) filter (where processor_coverage >= {{ whole }})
            as lpars_covered,
        min(least(processor_coverage, class_coverage)) as coverage,
        list(
            case
                when processor_coverage = 0 then 'no RMF records of ' || system_id
                when processor_coverage < {{ whole }}
                    then format(
                        'RMF records of {} cover {:.0f} % of the run',
                        system_id, 100 * processor_coverage
                    )
                when class_coverage < {{ whole }}
                    then format(
                        'workload activity of {} covers {:.0f} % of the run',
                        system_id, 100 * class_coverage
                    )
            end
            order by system_id
        ) as issues,
        list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
    from {{ runs(ref('fct_run_coverage')) }}
    group by all

),

joined as (

    select
        run.*,
        work.* exclude (origin, run_id, source_ids),
        coverage.coverage,
        coalesce(coverage.lpars_covered, []) as lpars_covered,
        list_filter(
            list_concat(
                coalesce(coverage.issues, []),
                [
                    case
                        when work.files_failed > 0
                            then format(
                                '{} of its {} files failed',
                                work.files_failed, work.files + work.files_failed
                            )
                    end,
                    case
                        when work.transfers_open > 0
                            then format('{} of its transfers did not complete', work.transfers_open)
                    end,
                    case
                        when work.transfers_begun_before > 0
                            then format(
                                '{} of its transfers began before it', work.transfers_begun_before
                            )
                    end,
                    case
                        when work.transfers > 0 and work.files < work.files_given
                            then format(
                                '{} of its {} files were moved',
                                work.files, cast(work.files_given as bigint)
                            )
                    end,
                    case
                        when
                            work.transfers > 0
                            and abs(work.bytes - work.bytes_given) > 1e-3 * work.bytes_given
                            then format(
                                '{} bytes were moved, and {} are given',
                                work.bytes, cast(work.bytes_given as bigint)
                            )
                    end
                ]
            ),
            lambda issue: issue is not null
        ) as issues,
        list_sort(list_distinct(list_concat(
            [run.source_id], work.source_ids, coalesce(coverage.source_ids, [])
        ))) as source_ids
    from run
    left join work using (origin, run_id)
    left join coverage using (origin, run_id)

)

select
    -- ids
    origin,
    source_id,
    record_no,
    run_id,
    campaign,
    configuration_id,
    repetition,

    -- time
    declared_at_utc,
    start_utc,
    stop_utc,
    utc_offset_minutes,
    seconds,
    steady_start_utc,
    steady_stop_utc,
    steady_seconds,

    -- system
    machine,
    mq_level,
    git_revision,
    labels,
    lpars,
    lpars_covered,
    coverage,

    -- work
    driver,
    bytes,
    files,
    messages,
    transactions,
    transfers,
    transfer_seconds,
    ramp_seconds,
    steady_bytes,

    -- completeness
    issues,
    len(issues) = 0 as is_complete,
    source_ids
from joined
