{#- The baseline has the factor values that its baseline set names; all other factors equal the
    candidate's. -#}
{%- set factors = [
    "source_system",
    "target_system",
    "target_storage",
    "network",
    "queue_type",
    "zhpf",
    "tls",
    "ams",
    "compression",
    "put_to_waiting_getter",
    "batch_interval_ms",
    "mode",
    "file_size_mb",
    "chunk_size_bytes",
    "md5",
    "connection",
    "transfer",
    "address_space",
    "protocol",
    "latency_km",
    "latency_ms_one_way",
    "loss_percent",
    "channels",
    "machine",
    "cipher",
    "message_size_bytes",
] -%}
{#- Factors that follow from another one and need not be listed. -#}
{%- set untold = ["latency_ms_one_way"] -%}

with
    comparable as (select * from {{ ref("int_published__comparable") }}),

    configuration as (

        select configuration_id, configuration_label from {{ ref("dim_published_configuration") }}

    ),

    baseline_set as (select * from {{ ref("published_baseline") }}),

    candidate as (

        select
            comparable.*,
            baseline_set.baseline_set,
            baseline_set.description as baseline_description,
            baseline_set.is_default as is_default_baseline
            {%- for factor in factors %}
                ,
                coalesce(
                    baseline_set.{{ factor }}, cast(comparable.{{ factor }} as varchar)
                ) as wanted_{{ factor }}
            {%- endfor %}
        from comparable
        inner join
            baseline_set
            on comparable.document_id = baseline_set.document_id
            and comparable.section = baseline_set.section

    ),

    paired as (

        select
            candidate.*,
            baseline.cell_id as baseline_cell_id,
            baseline.configuration_id as baseline_configuration_id,
            baseline.source_id as baseline_source_id,
            baseline.record_no as baseline_record_no,
            baseline.is_suspect as is_suspect_baseline,
            -- The document compares cost after offload with the plain cost of a baseline without zIIP
            -- work.
            coalesce(baseline.measure_value, baseline.fallback_value) as baseline_value,
            baseline.measure_value is null
            and baseline.fallback_value is not null as is_baseline_before_offload,
            nullif(
                concat_ws(
                    ', '
                    {%- for factor in factors if factor not in untold %}
                        ,
                        case
                            when baseline.{{ factor }} is distinct from candidate.{{ factor }}
                            then
                                '{{ factor }} '
                                || coalesce(cast(baseline.{{ factor }} as varchar), 'none')
                                || ' -> '
                                || coalesce(cast(candidate.{{ factor }} as varchar), 'none')
                        end
                    {%- endfor %}
                ),
                ''
            ) as changed_factors
        from candidate
        left join
            comparable as baseline
            on candidate.document_id = baseline.document_id
            and candidate.section = baseline.section
            and candidate.measure = baseline.measure
            {%- for factor in factors %}
                and candidate.wanted_{{ factor }} is not distinct from cast(baseline.{{ factor }} as varchar)
            {%- endfor %}

    ),

    compared as (

        select
            -- ids
            md5(concat_ws('|', paired.baseline_set, paired.measure, paired.cell_id)) as comparison_id,
            paired.baseline_set,
            paired.document_id,
            paired.cell_id,
            paired.baseline_cell_id,
            paired.configuration_id,
            paired.baseline_configuration_id,
            paired.source_id,
            paired.record_no,
            paired.baseline_source_id,
            paired.baseline_record_no,

            -- text
            'published' as origin,
            paired.section,
            paired.table_id,
            paired.measure as metric,
            paired.metric_kind,
            paired.unit,
            configuration.configuration_label,
            baseline_configuration.configuration_label as baseline_configuration_label,
            paired.baseline_description,
            if(paired.baseline_cell_id is null, null, paired.changed_factors) as changed_factors,
            paired.address_space,
            paired.mode,
            coalesce(
                paired.unavailable_reason,
                if(
                    paired.baseline_cell_id is null,
                    'the baseline row is not among the published figures',
                    null
                )
            ) as unavailable_reason,

            -- numerics
            paired.file_size_mb,
            paired.message_size_bytes,
            paired.measure_value as candidate_value,
            if(paired.measure_value is null, null, paired.baseline_value) as baseline_value,
            {{ ratio("paired.measure_value", "paired.baseline_value") }} as value_ratio,
            paired.measure_value - paired.baseline_value as difference,
            {{ percent("paired.measure_value - paired.baseline_value", "paired.baseline_value") }}
            as difference_percent,

            -- booleans
            paired.more_is_better,
            paired.is_default_baseline,
            coalesce(paired.cell_id = paired.baseline_cell_id, false) as is_baseline,
            paired.measure_value is not null
            and paired.is_baseline_before_offload as is_baseline_before_offload,
            paired.is_suspect or coalesce(paired.is_suspect_baseline, false) as is_suspect
        from paired
        left join configuration on paired.configuration_id = configuration.configuration_id
        left join
            configuration as baseline_configuration
            on paired.baseline_configuration_id = baseline_configuration.configuration_id

    )

select *
from compared
