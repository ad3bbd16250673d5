{% set unknown = "'the figures that it makes unknown are NULL; in no comparison'" %}
{% set uncounted = "'in no comparison'" %}
{% set everything = "['cpu', 'ziip', 'classes', 'address spaces', 'work', 'devices', 'mq']" %}

-- What makes the figures of a run unknown or doubtful, from its declaration, its records and its
-- work.
with declared as (

    select * from {{ ref('int_runs__declared') }}

),

coverage as (

    select * from {{ ref('int_runs__coverage') }}

),

work as (

    select * from {{ ref('int_runs__work') }}

),

shortage as (

    select * from {{ ref('int_runs__measurement') }}
    where metric = 'csm_shortage_messages' and value > 0

),

run as (

    select * from {{ ref('int_runs__run') }}

),

ambiguous as (

    select
        origin,
        run_id,
        name,
        string_agg(sysplex || '.' || system_id, ' and ' order by sysplex, system_id) as systems
    from {{ ref('int_runs__scope') }}
    where is_ambiguous
    group by all

),

with_type_30 as (

    select
        *,
        max(address_space_records) over (partition by origin, run_id) as most_records
    from coverage

),

partner as (

    select distinct
        coverage.origin,
        coverage.run_id,
        coverage.sysplex,
        unnest(coverage.partners_not_loaded) as partner
    from coverage
    inner join run using (origin, run_id)
    where len(run.lpars) = 0

),

-- A run that names no LPARs takes all systems that wrote records during it.
unrelated as (

    select
        origin,
        run_id,
        string_agg(systems, ' and ' order by systems) as systems,
        min(name) as name
    from (
        select
            system.origin,
            system.run_id,
            concat_ws(
                ': ', nullif(system.sysplex, ''),
                string_agg(system.system_id, ', ' order by system.system_id)
            ) as systems,
            min(system.system_id) as name
        from {{ ref('int_runs__system') }} as system
        inner join run using (origin, run_id)
        where len(run.lpars) = 0
        -- Without a sysplex, a system has no others beside it.
        group by
            system.origin, system.run_id, system.sysplex,
            if(system.sysplex = '', system.system_id, null)
    )
    group by origin, run_id
    having count(*) > 1

),

of_run as (

    select
        origin,
        run_id,
        'ambiguous_system' as kind,
        'error' as severity,
        cast(null as varchar) as sysplex,
        cast(null as varchar) as system_id,
        name as subject,
        format('{} is a name of {}: name the partition', name, systems) as found,
        {{ unknown }} as done,
        {{ everything }} as affects
    from ambiguous

    union all

    select
        origin,
        run_id,
        'overlapping_runs',
        'warning',
        null,
        null,
        null,
        overlapped,
        {{ uncounted }},
        {{ everything }}
    from declared
    where refused is null and overlapped is not null

    union all

    select
        origin,
        run_id,
        'partner_not_loaded',
        'error',
        sysplex,
        null,
        partner,
        format(
            'it names no LPARs, and no records of {} in its sysplex {} are loaded', partner, sysplex
        ),
        {{ unknown }},
        {{ everything }}
    from partner

    union all

    select
        origin,
        run_id,
        'unrelated_systems',
        'warning',
        null,
        null,
        null,
        format(
            'it names no LPARs, and systems that do not belong together wrote records ({}): name its'
            || ' own as scope in the manifest, such as lpars = ["{}"]', systems, name
        ),
        {{ uncounted }},
        {{ everything }}
    from unrelated

    union all

    select
        coverage.origin,
        coverage.run_id,
        'not_covered',
        'error',
        coverage.sysplex,
        coverage.system_id,
        null,
        case
            when coverage.processor_coverage = 0 then 'no RMF records of ' || coverage.system
            else format(
                'RMF records of {} are missing for {:.0f} of the {:.0f} seconds of the run',
                coverage.system, (1 - coverage.processor_coverage) * run.seconds, run.seconds
            )
        end,
        {{ unknown }},
        ['cpu', 'ziip', 'classes']
    from coverage
    inner join run using (origin, run_id)
    where not coverage.has_all_processors

    union all

    select
        coverage.origin,
        coverage.run_id,
        'no_type_72',
        'error',
        coverage.sysplex,
        coverage.system_id,
        null,
        format(
            'workload activity of {} is missing for {:.0f} of the {:.0f} seconds of the run',
            coverage.system, (1 - coverage.class_coverage) * run.seconds, run.seconds
        ),
        {{ unknown }},
        ['ziip', 'classes']
    from coverage
    inner join run using (origin, run_id)
    where coverage.has_all_processors and not coverage.has_all_classes

    union all

    select
        origin,
        run_id,
        'restarted',
        'warning',
        sysplex,
        system_id,
        null,
        format('{} was started at {} UTC, during the run', system, started_utc),
        {{ uncounted }},
        {{ everything }}
    from coverage
    where started_utc is not null

    union all

    -- Some sites write no records of type 30 at all: then nothing claims to know address spaces.
    select
        origin,
        run_id,
        'no_type_30',
        'error',
        sysplex,
        system_id,
        null,
        format('no records of address spaces of {}', system),
        {{ uncounted }},
        ['address spaces']
    from with_type_30
    where address_space_records = 0 and most_records > 0

    union all

    select
        coverage.origin,
        coverage.run_id,
        'interval_too_long',
        'warning',
        coverage.sysplex,
        coverage.system_id,
        null,
        format(
            'the run is {:.0f} seconds of an RMF interval of {:.0f} seconds on {}',
            run.seconds, coverage.longest_interval_seconds, coverage.system
        ),
        {{ uncounted }},
        ['cpu', 'ziip', 'classes', 'address spaces', 'devices', 'mq']
    from coverage
    inner join run using (origin, run_id)
    where run.seconds < coverage.longest_interval_seconds / 2

    union all

    {% for kind, severity, condition, found in [
        (
            "files_failed", "error", "files_failed > 0",
            "format('{} of its {} files failed', files_failed, files + files_failed)",
        ),
        (
            "transfers_open", "error", "transfers_open > 0",
            "format('{} of its transfers did not complete', transfers_open)",
        ),
        (
            "transfers_begun_before", "warning", "transfers_begun_before > 0",
            "format('{} of its transfers began before it', transfers_begun_before)",
        ),
        (
            "files_missing", "error", "transfers > 0 and files < files_given",
            "format('{} of its {} files were moved', files, cast(files_given as bigint))",
        ),
        (
            "bytes_differ", "error",
            "transfers > 0 and abs(bytes - bytes_given) > 1e-3 * bytes_given",
            "format('{} bytes were moved, and {} are given', bytes, cast(bytes_given as bigint))",
        ),
    ] %}
    select
        origin,
        run_id,
        '{{ kind }}',
        '{{ severity }}',
        null,
        null,
        null,
        {{ found }},
        {{ uncounted }},
        ['work']
    from work
    where {{ condition }}

    union all

    {% endfor %}
    select
        origin,
        run_id,
        'csm_shortage',
        'warning',
        null,
        null,
        null,
        format('storage of CSM ran short (messages: {:.0f})', value),
        {{ uncounted }},
        ['work', 'mq']
    from shortage

)

select
    origin,
    source_id,
    record_no,
    if(starts_with(refused, 'run_id'), 'name_taken', 'overlapping_runs') as kind,
    'error' as severity,
    cast(null as varchar) as sysplex,
    cast(null as varchar) as system_id,
    start_utc,
    stop_utc as end_utc,
    campaign as subject,
    run_id,
    refused as found,
    'refused: it is in fct_run_refused only' as done,
    {{ everything }} as affects
from declared
where refused is not null

union all

select
    run.origin,
    run.source_id,
    run.record_no,
    of_run.kind,
    of_run.severity,
    of_run.sysplex,
    of_run.system_id,
    run.start_utc,
    run.stop_utc as end_utc,
    of_run.subject,
    run.run_id,
    of_run.found,
    of_run.done,
    of_run.affects
from of_run
inner join run using (origin, run_id)
