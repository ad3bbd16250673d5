select
    -- ids
    judged.origin,
    compared.record.source_id,
    compared.record.record_no,
    judged.campaign,
    judged.configuration_id,
    judged.metric,
    judged.address_space,
    judged.cell_id,
    compared.document_id,
    compared.table_id,
    compared.assumed,

    -- runs and printed figure
    compared.unit,
    judged.runs,
    judged.mean,
    compared.published_value,
    compared.published_low,
    compared.published_high,

    -- verdict
    judged.verdict,
    judged.difference_percent,
    judged.low_percent,
    judged.high_percent,
    judged.noise_percent,
    judged.noise_source,
    judged.reason,
    judged.more_runs
from {{ ref("print_verdict") }} as judged
inner join
    (
        select
            origin,
            campaign,
            configuration_id,
            metric,
            address_space,
            cell_id,
            min({'source_id':source_id, 'record_no':record_no}) as record,
            any_value(document_id) as document_id,
            any_value(table_id) as table_id,
            any_value(assumed) as assumed,
            any_value(unit) as unit,
            any_value(published_value) as published_value,
            any_value(published_low) as published_low,
            any_value(published_high) as published_high
        from {{ ref("fct_run_against_published") }}
        group by all
    ) as compared
    on judged.origin = compared.origin
    and judged.campaign = compared.campaign
    and judged.configuration_id = compared.configuration_id
    and judged.metric = compared.metric
    and judged.address_space is not distinct from compared.address_space
    and judged.cell_id = compared.cell_id
