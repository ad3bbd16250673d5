-- No join or filter of the models loses a record: a usable record (complete, with an interval in UTC,
-- no duplicate, not contradicted) with a section that feeds a mart is behind a row of that mart.
{#- mart -> raw tables that feed it. RMF marts show a split record as its first part. #}
{% set mq = {
    "fct_queue_manager_interval": ["smf115_qsst", "smf115_qjst", "smf115_qmst", "smf115_qist"],
    "fct_buffer_pool_interval": ["smf115_qpst"],
    "fct_channel_initiator_interval": ["smf115_qcct"],
    "fct_task_accounting": ["smf116_wtas"],
    "fct_queue_accounting": ["smf116_wq"],
    "fct_task_message_manager": ["smf116_qmac"],
    "fct_channel_interval": ["smf116_qcst"],
} %}
{% set rmf = {
    "fct_processor_interval": "smf70_1_cpu_data",
    "fct_lpar_interval": "smf70_1_prsm_logical_processor",
    "fct_lpar_capacity_interval": "smf70_1_cpu_control",
    "fct_cf_request_interval": "smf74_4_request",
    "fct_cf_structure_use_interval": "smf74_4_request",
    "fct_cf_interval": "smf74_4_cf_local",
} %}

with
    expected as (

        {% for mart, tables in mq.items() %}
            {%- for table in tables %}
                select '{{ mart }}' as model, source_id, record_no
                from work.raw.{{ table }}
                inner join
                    {{ ref("int_mq__record") }} using (source_id, record_no)
                    {{ "where usable" if mart.endswith("_interval") and mart != "fct_channel_interval" }}
                union
            {%- endfor %}
        {%- endfor %}
        {%- for mart, table in rmf.items() %}
            select '{{ mart }}' as model, source_id, record.logical_record as record_no
            from work.raw.{{ table }}
            inner join {{ ref("int_rmf__record") }} as record using (source_id, record_no)
            where record.usable
            union
        {%- endfor %}
        select 'fct_data_set_interval' as model, source_id, record_no
        from work.raw.smf42_6_data_set_header
        semi join {{ ref("int_zos_devices__data_set_record") }} using (source_id, record_no)

    ),

    shown as (

        select 'fct_queue_manager_interval' as model, record.source_id, record.record_no
        from (select unnest(source_records) as record from {{ ref("fct_queue_manager_interval") }})
        {%- for mart in mq.keys() | list + rmf.keys() | list + ["fct_data_set_interval"] %}
            {%- if mart != "fct_queue_manager_interval" %}
                union all
                select '{{ mart }}' as model, source_id, record_no
                from {{ ref(mart) }}
            {%- endif %}
        {%- endfor %}

    )

select *
from expected
anti join shown using (model, source_id, record_no)
