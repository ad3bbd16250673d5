-- source_id and record_no lead to a record of a raw table, and origin is that of its load.
{% set tables = [
    "smf_record",
    "rmf_cpu",
    "rmf_partition",
    "rmf_workload",
    "rmf_cf",
    "rmf_cf_request",
    "rmf_crypto",
    "rmf_dasd",
    "bench_run",
    "bench_harness",
    "bench_mft_transfer",
    "bench_ioping",
    "bench_mqsc_chstatus",
    "bench_amqsrua",
    "bench_mqsc_qstatus",
    "bench_syslog_message",
    "bench_top",
    "bench_top_process",
    "bench_free",
    "bench_docker_stats",
    "bench_docker_df",
    "bench_docker_object",
    "bench_du",
    "bench_csm_pool",
    "bench_csm_limit",
    "published_cell",
    "published_claim",
    "published_anomaly",
    "published_document",
    "usage_hour",
] %}
{% set traced = (
    marts()
    | reject(
        "in",
        [
            "dim_load",
            "dim_metric",
            "fct_arrival",
            "dim_published_table",
            "fct_data_issue",
            "fct_last_night",
            "fct_pipeline_day",
            "fct_pipeline_step",
        ],
    )
    | list
) %}

with
    record as (

        {% for table in tables %}
            select source_id, record_no from work.raw.{{ table }} {{ "union" if not loop.last }}
        {%- endfor %}

    ),

    known as (

        select load.origin, record.source_id, record.record_no
        from record
        inner join {{ ref("stg_lake__load") }} as load using (source_id)

    ),

    shown as (

        {% for mart in traced %}
            select distinct '{{ mart }}' as model, origin, source_id, record_no
            from {{ ref(mart) }} {{ "union all" if not loop.last }}
        {%- endfor %}

    )

select shown.*
from shown
anti join known using (origin, source_id, record_no)
-- in an incremental build the raw views show only the days that are built again or read
where not exists (from work.meta.build_day) or {{ in_days("shown", 2) }}
