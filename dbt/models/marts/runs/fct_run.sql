{{ config(materialized="incremental", incremental_strategy="by_run") }}

with
    run as (select * from {{ runs(ref("int_runs__run")) }}),

    work as (select * from {{ runs(ref("int_runs__work")) }}),

    coverage as (

        select
            origin,
            run_id,
            list(system order by system) filter (where has_all_processors) as lpars_covered,
            min(least(processor_coverage, class_coverage)) as coverage,
            list_sort(list_distinct(flatten(list(source_ids)))) as source_ids
        from {{ runs(ref("int_runs__coverage")) }}
        group by all

    ),

    -- Problems with the run itself, and findings in the records of its systems.
    issue as (

        select
            run.origin, run.run_id, 1 as issue_order, issue.system_id, issue.kind, issue.severity, issue.found
        from run
        inner join {{ ref("int_lake__finding") }} as issue using (origin, run_id, source_id, record_no)
        where issue.affects is distinct from ['mq']

        union all

        select
            system.origin,
            system.run_id,
            2 as issue_order,
            system.system_id,
            finding.kind,
            finding.severity,
            system.system || ': ' || finding.found as found
        from {{ runs(ref("int_runs__system")) }} as system
        inner join
            {{ ref("int_lake__finding") }} as finding
            on system.origin = finding.origin
            and system.sysplex = finding.sysplex
            and system.system_id = finding.system_id
            and system.start_utc < finding.end_utc
            and system.stop_utc > finding.start_utc
        where
            finding.run_id is null
            and finding.severity in ('error', 'warning')
            and list_has_any(finding.affects, ['cpu', 'ziip', 'classes', 'work'])

    ),

    issues as (

        select
            origin,
            run_id,
            -- Once each, although every interval of the run may have it.
            list(found order by issue_order, system_id, kind, found) as issues,
            list(distinct kind) as issue_kinds,
            count(*) filter (where severity = 'error') as errors
        from
            (
                select
                    origin,
                    run_id,
                    kind,
                    found,
                    min(issue_order) as issue_order,
                    min(system_id) as system_id,
                    min(severity) as severity
                from issue
                group by origin, run_id, kind, found
                -- A finding about the run stands for the same finding about its systems.
                qualify rank() over (partition by origin, run_id, kind order by min(issue_order)) = 1
            )
        group by origin, run_id

    ),

    joined as (

        select
            run.*,
            speed.configuration_id as configuration_id_of_speed,
            work.* exclude (origin, run_id, source_ids),
            coverage.coverage,
            coalesce(coverage.lpars_covered, []) as lpars_covered,
            coalesce(issues.issues, []) as issues,
            list_sort(coalesce(issues.issue_kinds, [])) as issue_kinds,
            coalesce(issues.errors, 0) as errors,
            list_sort(
                list_distinct(
                    list_concat([run.source_id], work.source_ids, coalesce(coverage.source_ids, []))
                )
            ) as source_ids
        from run
        left join {{ ref("int_runs__speed") }} as speed using (origin, run_id)
        left join work using (origin, run_id)
        left join coverage using (origin, run_id)
        left join issues using (origin, run_id)

    )

select
    -- ids
    origin,
    source_id,
    record_no,
    run_id,
    campaign,
    coalesce(configuration_id_of_speed, configuration_id) as configuration_id,
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
    work_seconds,
    ramp_seconds,
    steady_bytes,

    -- trust
    issues,
    issue_kinds,
    errors = 0 as is_complete,
    len(issues) = 0 as is_compared,
    source_ids
from joined
