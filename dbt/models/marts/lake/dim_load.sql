{#- Where the times of records stand: model, record type and subtype, first and last time in UTC.
    Texts have neither type nor subtype. -#}
{% set untyped = "cast(null as integer)" %}
{% set local = "smf_time_local - to_minutes(utc_offset_minutes)" %}
{% set told = [
    ("int_mq__record", "record_type", "record_subtype", "smf_time_utc", "smf_time_utc"),
    ("int_rmf__record", "record_type", "record_subtype", local, local),
    ("int_zos_cpu__address_space", "30", "record_subtype", local, local),
    ("int_zos_devices__data_set_record", "42", "6", "written_at_utc", "written_at_utc"),
    (
        "int_zos_devices__counter_reading",
        "113",
        "record_subtype",
        "coalesce(interval_start_utc, interval_end_utc)",
        "interval_end_utc",
    ),
    ("int_mq__protected_access", "180", "1", "smf_time_utc", "smf_time_utc"),
    ("int_runs__manifest", untyped, untyped, "start_utc", "stop_utc"),
    ("int_runs__transfer_message", untyped, untyped, "time_utc", "time_utc"),
    ("int_runs__given", untyped, untyped, "time_utc", "time_utc"),
    ("int_runs__printed", untyped, untyped, "time_utc", "time_utc"),
    (
        "fct_rmf_report_figure",
        untyped,
        untyped,
        "interval_start_utc",
        "interval_start_utc + to_seconds(interval_seconds)",
    ),
] -%}
with
    load as (select * from {{ ref("stg_lake__load") }}),

    load_count as (select * from {{ source("staging", "lake__load_count") }}),

    duplicate as (

        select source_id, record_type, record_subtype, count(*) as duplicate_records
        from {{ ref("stg_lake__copy") }}
        group by source_id, record_type, record_subtype

    ),

    told as (

        {% for model, type, subtype, first, last in told %}
            select
                source_id,
                {{ type }} as record_type,
                {{ subtype }} as record_subtype,
                min({{ first }}) as first_at_utc,
                max({{ last }}) as last_at_utc
            from {{ ref(model) }}
            group by all {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    -- Many tools print no time, so use that of the runs that they measured.
    of_run as (

        select output.source_id, min(run.start_utc) as first_at_utc, max(run.stop_utc) as last_at_utc
        from {{ ref("int_runs__output") }} as output
        inner join
            {{ ref("int_runs__run") }} as run on output.origin = run.origin and output.run_id = run.run_id
        group by output.source_id

    ),

    kept as (

        select
            source_id,
            record_type,
            record_subtype,
            min(first_at_utc) as first_record_at_utc,
            max(last_at_utc) as last_record_at_utc
        from told
        group by all

    )

select
    -- ids
    load.source_id,
    load_count.record_type,
    load_count.record_subtype,

    -- text
    load.origin,
    load.path,
    load.kind,
    load.framing,
    load.compression,
    load.decoder_version,
    load.status,

    -- numerics
    load.bytes,
    load.records,
    load.records_loaded,
    load.records_quarantined,
    load_count.type_records,
    load_count.type_sections,
    load_count.type_extra_bytes,
    case
        when load_count.record_type is not null then coalesce(duplicate.duplicate_records, 0)
    end as duplicate_records,

    -- dates
    load.loaded_at_utc,
    coalesce(kept.first_record_at_utc, of_run.first_at_utc) as first_record_at_utc,
    coalesce(kept.last_record_at_utc, of_run.last_at_utc) as last_record_at_utc
from load
left join load_count using (source_id)
left join
    duplicate
    on load_count.source_id = duplicate.source_id
    and load_count.record_type = duplicate.record_type
    and load_count.record_subtype is not distinct from duplicate.record_subtype
left join
    kept
    on load.source_id = kept.source_id
    and load_count.record_type is not distinct from kept.record_type
    and load_count.record_subtype is not distinct from kept.record_subtype
left join of_run on load.source_id = of_run.source_id and load_count.record_type is null
