-- What makes the figures of a run unknown or doubtful, from its declaration, its records and its
-- work.
with
    declared as (select * from {{ ref("int_runs__declared") }}),

    coverage as (select * from {{ ref("int_runs__coverage") }}),

    run as (select * from {{ ref("int_runs__run") }}),

    with_type_30 as (

        select *, max(address_space_records) over (partition by origin, run_id) as most_records from coverage

    ),

    -- What a workload can be made of.
    recorded_name as (

        {% for kind, names in [
            ("address space", "address_spaces"),
            ("service class", "service_classes"),
            ("report class", "report_classes"),
        ] %}
            select distinct origin, run_id, '{{ kind }}' as kind, unnest({{ names }}) as name
            from coverage {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    -- A run that names no LPARs takes all systems that wrote records during it.
    unrelated as (

        select origin, run_id, string_agg(systems, ' and ' order by systems) as systems, min(name) as name
        from
            (
                select
                    system.origin,
                    system.run_id,
                    concat_ws(
                        ': ',
                        nullif(system.sysplex, ''),
                        string_agg(system.system_id, ', ' order by system.system_id)
                    ) as systems,
                    min(system.system_id) as name
                from {{ ref("int_runs__system") }} as system
                inner join run using (origin, run_id)
                where len(run.lpars) = 0
                -- A system without a sysplex stands alone.
                group by
                    system.origin,
                    system.run_id,
                    system.sysplex,
                    if(system.sysplex = '', system.system_id, null)
            )
        group by origin, run_id
        having count(*) > 1

    )

    {{ findings() }}

    {% for kind, condition in [
        ("name_taken", "starts_with(refused, 'run_id')"),
        ("overlapping_runs", "starts_with(refused, 'overlaps')"),
        ("clock_ahead", "starts_with(refused, 'starts')"),
    ] %}
        {% call finding(kind) %}
select
    origin,
    source_id,
    record_no,
    start_utc,
    stop_utc as end_utc,
    campaign as subject,
    run_id,
    refused as found,
    'error' as severity,
    'refused: it is in fct_run_refused only' as done
from declared
where refused is not null and {{ condition }}
        {% endcall %}
    {% endfor %}

    {% call finding("run_corrected") %}
select origin, source_id, record_no, start_utc, stop_utc as end_utc, campaign as subject, run_id, refused as found
from declared
where starts_with(refused, 'corrected')
    {% endcall %}

    {% call run_finding("ambiguous_system") %}
select
    origin,
    run_id,
    name as subject,
    format(
        '{} is a name of {}: name the partition', name,
        string_agg(sysplex || '.' || system_id, ' and ' order by sysplex, system_id)
    ) as found
from {{ ref('int_runs__scope') }}
where is_ambiguous
group by origin, run_id, name
    {% endcall %}

    {% call run_finding("overlapping_runs") %}
select
    origin,
    run_id,
    overlapped as found
from declared
where refused is null and overlapped is not null
    {% endcall %}

    {% call run_finding("partner_not_loaded") %}
select
    *,
    format(
        'the run names no LPARs, and no records of {} in its sysplex {} are loaded', subject, sysplex
    ) as found
from (
    select distinct
        coverage.origin,
        coverage.run_id,
        coverage.sysplex,
        unnest(coverage.partners_not_loaded) as subject
    from coverage
    inner join run using (origin, run_id)
    where len(run.lpars) = 0
)
    {% endcall %}

    {% call run_finding("unrelated_systems") %}
select
    origin,
    run_id,
    format(
        'the run names no LPARs, and systems that do not belong together wrote records ({}): name its'
        || ' own as scope in the manifest, such as lpars = ["{}"]', systems, name
    ) as found
from unrelated
    {% endcall %}

    {% call run_finding("not_covered") %}
select
    coverage.origin,
    coverage.run_id,
    coverage.sysplex,
    coverage.system_id,
    case
        when coverage.processor_coverage = 0 then 'no RMF records of ' || coverage.system
        else format(
            'RMF records of {} are missing for {:.0f} of the {:.0f} seconds of the run',
            coverage.system, (1 - coverage.processor_coverage) * run.seconds, run.seconds
        )
    end as found
from coverage
inner join run using (origin, run_id)
where not coverage.has_all_processors
    {% endcall %}

    {% call run_finding("no_type_72") %}
select
    coverage.origin,
    coverage.run_id,
    coverage.sysplex,
    coverage.system_id,
    format(
        'workload activity of {} is missing for {:.0f} of the {:.0f} seconds of the run',
        coverage.system, (1 - coverage.class_coverage) * run.seconds, run.seconds
    ) as found
from coverage
inner join run using (origin, run_id)
where coverage.has_all_processors and not coverage.has_all_classes
    {% endcall %}

    {% call run_finding("restarted") %}
select
    origin,
    run_id,
    sysplex,
    system_id,
    format('{} was started at {} UTC, during the run', system, started_utc) as found
from coverage
where started_utc is not null
    {% endcall %}

    -- Some sites write no type 30 at all. Then there are no figures for address spaces to doubt.
    {% call run_finding("no_type_30") %}
select
    origin,
    run_id,
    sysplex,
    system_id,
    format('no records of address spaces of {}', system) as found
from with_type_30
where address_space_records = 0 and most_records > 0
    {% endcall %}

    {% call run_finding("workload_not_found") %}
select
    named.origin,
    named.run_id,
    named.name as subject,
    format('no record of the run is of {}, which the manifest names as workload', named.name)
        as found
from ({{ workload_names("run") }}) as named
anti join recorded_name
    on
        named.origin = recorded_name.origin
        and named.run_id = recorded_name.run_id
        and named.kind = recorded_name.kind
        and recorded_name.name glob named.pattern
    {% endcall %}

    -- How far off the CPU time of a run may be because it covers only part of some intervals.
    {% call run_finding("bounds_too_wide") %}
select
    origin,
    run_id,
    format(
        'the run covers only a part of RMF intervals of {:.0f} s, so its CPU time is {:.4g} to {:.4g} s:'
        || ' {:.4g} s, give or take {:.0f} %', longest_seconds, low, high, middle, off_percent
    ) as found
from (
    select
        origin,
        run_id,
        max(interval_seconds) filter (where share < 1) as longest_seconds,
        sum(cpu_seconds_low) as low,
        sum(cpu_seconds_middle) as middle,
        sum(cpu_seconds_high) as high,
        50 * (high - low) / nullif(middle, 0) as off_percent
    from {{ ref('int_runs__interval') }}
    group by origin, run_id
)
where off_percent > {{ usual_noise_percent() }}
    {% endcall %}

    -- All or none of what an interval of MQ counts may be in a run that has a part of it. CPU time is of
    -- RMF, and not concerned.
    {% call run_finding("part_of_mq_interval") %}
select
    origin,
    run_id,
    sysplex,
    system_id,
    queue_manager as subject,
    format(
        'the run covers only a part of {} of {} intervals of {} ({:.0f} s), of one only {:.2g} %', parts,
        intervals, about, longest_seconds, 100 * least_share
    ) as found
from {{ ref('int_runs__mq_interval') }}
where part_interval_seconds > 2 * {{ usual_noise_percent() }} / 100 * covered_seconds
    {% endcall %}

    -- CPU seconds at two speeds do not stand for the same work.
    {% call run_finding("capacity_changed") %}
select
    origin,
    run_id,
    sysplex,
    system_id,
    format(
        'the speed of {} changed during the run: {}', any_value(system),
        string_agg(distinct speed, ' and ' order by speed)
    ) as found
from {{ ref('int_runs__interval') }}
inner join {{ ref('int_runs__system') }} using (origin, run_id, sysplex, system_id)
group by origin, run_id, sysplex, system_id
having count(distinct speed) > 1
    {% endcall %}

    {% call run_finding("machines_differ") %}
select
    origin,
    run_id,
    'its systems are on different machines, whose CPU seconds are not the same work: '
    || string_agg(distinct machines, ' and ' order by machines) as found
from (
    select
        origin,
        run_id,
        sysplex,
        system_id,
        string_agg(distinct machine, ', then ' order by machine) as machines
    from {{ ref('int_runs__interval') }}
    group by all
)
group by origin, run_id
having count(distinct machines) > 1
    {% endcall %}

    -- A label such as z15 or 8561 names a generation or a machine type in the seed; others name nothing.
    {% call run_finding("machine_label_differs") %}
select distinct
    run.origin,
    run.run_id,
    format(
        'the manifest says {}, and the records are of a {} (type {})', run.machine,
        recorded.generation, recorded.machine_type
    ) as found
from run
inner join {{ ref('int_runs__interval') }} as interval using (origin, run_id)
inner join {{ ref('hardware_machine') }} as recorded
    on interval.machine_type = cast(recorded.machine_type as varchar)
inner join {{ ref('hardware_machine') }} as told
    on
        regexp_extract(lower(run.machine), '\bz\d+') = told.generation
        or regexp_extract(run.machine, '\b\d{4}\b') = cast(told.machine_type as varchar)
where recorded.generation <> told.generation
    {% endcall %}

    {% for kind, condition, found in [
        (
            "files_failed",
            "files_failed > 0 or transfers_failed > 0",
            "if(files_failed > 0,"
            ~ " format('{} of its {} files failed', files_failed, files + files_failed),"
            ~ " format('{} of its transfers failed, in whole or in part', transfers_failed))",
        ),
        (
            "transfers_open",
            "transfers_open > 0",
            "format('{} of its transfers did not complete', transfers_open)",
        ),
        (
            "transfers_begun_before",
            "transfers_begun_before > 0",
            "format('{} of its transfers began before it', transfers_begun_before)",
        ),
        (
            "transfers_ended_after",
            "transfers_ended_after > 0",
            "format('{} of its transfers ended after it: how much they moved in it is not known',"
            ~ " transfers_ended_after)",
        ),
        (
            "transfers_backwards",
            "transfers_backwards > 0",
            "format('{} of its transfers end before they begin: the clocks of the agents differ',"
            ~ " transfers_backwards)",
        ),
        (
            "bytes_unknown",
            "transfers_unknown > 0",
            "format('no message tells how many bytes {} of its transfers moved', transfers_unknown)",
        ),
        (
            "no_transfers",
            "transfers_nearest_seconds is not null",
            "format('none of its agents'' transfers ended in it, and the nearest one {:.0f} s {} it: do'"
            ~ " || ' the clocks of the agents and of the manifest agree?',"
            ~ " abs(transfers_nearest_seconds),"
            ~ " if(transfers_nearest_seconds < 0, 'before', 'after'))",
        ),
        (
            "unknown_unit",
            "units_unknown is not null",
            "'a unit cannot be converted to that of its metric: ' || units_unknown",
        ),
        (
            "files_missing",
            "transfers > 0 and files < files_given",
            "format('{} of its {} files were moved', files, cast(files_given as bigint))",
        ),
        (
            "bytes_differ",
            "transfers > 0 and abs(bytes - bytes_given) > 1e-3 * bytes_given",
            "format('{} bytes were moved, and {} are given', bytes, cast(bytes_given as bigint))",
        ),
    ] %}
        {% call run_finding(kind) %}
select
    origin,
    run_id,
    {{ found }} as found
from {{ ref('int_runs__work') }}
where {{ condition }}
        {% endcall %}
    {% endfor %}

    {% call run_finding("csm_shortage") %}
select
    origin,
    run_id,
    format('storage of CSM ran short (messages: {:.0f})', value) as found
from {{ ref('int_runs__measurement') }}
where metric = 'csm_shortage_messages' and value > 0
    {% endcall %}
