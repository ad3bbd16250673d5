{{ config(materialized="incremental", incremental_strategy="by_day") }}

{% set aliases = messaging_factors() %}

with
    stated as (

        select
            source_id,
            record_no,
            case
                {% for name, type, alias in aliases %}
                    when
                        factor in ('{{ name }}', '{{ alias }}')
                        {% if type == "integer" %} and try_cast(level as integer) is not null {% endif %}
                    then '{{ name }}'
                {% endfor %}
                else factor
            end as factor,
            case
                factor
                {% for name, _, alias in aliases %} when '{{ name }}' then '{{ alias }}' {% endfor %}
                else factor
            end as hashed_factor,
            case
                {% for name, type, alias in aliases if type == "flag" %}
                    when factor in ('{{ name }}', '{{ alias }}')
                    then
                        case
                            when lower(level) in ('y', 'yes', 'true')
                            then 'Y'
                            when lower(level) in ('n', 'no', 'false')
                            then 'N'
                            else level
                        end
                {% endfor %}
                else level
            end as level,
            level as stated_level,
            coalesce(level_number, try_cast(level as double)) as level_number
        from {{ source("staging", "bench__run_factor") }}

    ),

    factor as (

        select
            source_id,
            record_no,
            -- The machine can be given as a factor or as a label, with the same meaning.
            string_agg(hashed_factor || '=' || stated_level, '|' order by hashed_factor) filter (
                where factor <> 'machine'
            ) as factors_text,
            string_agg(factor || '=' || level, '|' order by factor) as levels_text,
            max(level) filter (where factor = 'machine') as machine,
            {% for name, type in run_factors() %}
                cast(
                    max({{ "level" if type == "varchar" else "level_number" }}) filter (
                        where factor = '{{ name }}'
                    ) as {{ type }}
                ) as "{{ name }}",
            {% endfor %}
            map_from_entries(
                list(struct_pack(key := factor, value := level) order by factor) filter (
                    where starts_with(factor, 'x_')
                )
            ) as x_factors
        from stated
        group by source_id, record_no

    ),

    label as (

        select
            source_id,
            record_no,
            max(label_value) filter (where label = 'machine') as machine,
            max(label_value) filter (where label = 'mq_level') as mq_level,
            max(label_value) filter (where label = 'git_revision') as git_revision,
            max(label_value) filter (where label = 'time_from') as time_from,
            string_agg(label || '=' || label_value, '|' order by label) filter (
                where label <> 'time_from'
            ) as labels_text,
            map_from_entries(list(struct_pack(key := label, value := label_value) order by label)) as labels
        from {{ source("staging", "bench__run_label") }}
        group by source_id, record_no

    ),

    figures as (

        select
            source_id,
            record_no,
            md5(
                string_agg(
                    concat_ws('=', metric, address_space, unit, value), '|' order by metric, unit, value
                )
            ) as figures_id
        from {{ source("staging", "bench__measurement") }}
        where record_no is not null
        group by source_id, record_no

    ),

    scope as (

        select
            source_id,
            record_no,
            list(distinct object_name order by object_name) filter (where object_kind = 'lpar') as lpars,
            list(distinct object_name order by object_name) filter (
                where object_kind = 'address_space'
            ) as address_spaces,
            list(distinct object_name order by object_name) filter (where object_kind = 'volume') as volumes,
            list(distinct object_name order by object_name) filter (
                where object_kind = 'workload'
            ) as workload
        from {{ source("staging", "bench__run_scope") }}
        group by source_id, record_no

    )

select
    load.origin,
    load.kind = 'run_manifest' as owns_its_time,
    load.kind = 'results_table' as is_of_table,
    coalesce(
        load.kind = 'run_manifest'
        or not starts_with(run.run_id, run.campaign || strftime(run.start_local, '-%Y%m%dT%H%M%S')),
        true
    ) as is_named,
    coalesce(label.time_from, 'output') not like 'output%' as is_start_of_file,
    md5(concat_ws('|', run.campaign, factor.levels_text, label.labels_text)) as series_id,
    figures.figures_id,
    run.source_id,
    run.record_no,
    run.run_id,
    run.campaign,
    run.repetition,
    left(md5(coalesce(factor.factors_text, '')), 12) as factors_id,
    left(
        md5(
            concat_ws(
                '|',
                coalesce(factor.factors_text, ''),
                coalesce(label.machine, factor.machine, ''),
                coalesce(label.mq_level, '')
            )
        ),
        12
    ) as configuration_id,
    coalesce(label.machine, factor.machine) as machine,
    label.mq_level,
    label.git_revision,
    coalesce(label.labels, map{}) as labels,
    {% for name, _ in run_factors() %} factor."{{ name }}", {% endfor %}
    coalesce(factor.x_factors, map{}) as x_factors,
    coalesce(scope.lpars, []) as lpars,
    coalesce(scope.address_spaces, []) as address_spaces,
    coalesce(scope.volumes, []) as volumes,
    coalesce(scope.workload, []) as workload,
    run.start_utc,
    run.stop_utc,
    epoch(run.stop_utc - run.start_utc) as seconds,
    run.steady_start_utc,
    run.steady_stop_utc,
    run.utc_offset_minutes,
    load.loaded_at_utc as declared_at_utc
from {{ source("staging", "bench__run") }} as run
inner join {{ ref("stg_lake__load") }} as load using (source_id)
left join factor using (source_id, record_no)
left join label using (source_id, record_no)
left join scope using (source_id, record_no)
left join figures using (source_id, record_no)
