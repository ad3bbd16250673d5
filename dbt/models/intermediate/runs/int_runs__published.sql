-- The published figures of each configuration: of a metric, those with the most equal factors and the
-- fewest assumed, one of a document.
select
    matched.configuration_id,
    figure.cell_id,
    figure.document_id,
    figure.printed,
    figure.metric,
    figure.address_space,
    figure.compared_with_machine,
    figure.standard_value,
    figure.standard_low,
    figure.standard_high,
    figure.standard_unit,
    figure.table_id,
    matched.agreeing,
    matched.assumed
from {{ ref("int_runs__published_match") }} as matched
inner join {{ ref("int_published__figure") }} as figure using (setting_id)
where len(matched.obstacles) = 0
qualify
    row_number() over (
        partition by
            matched.configuration_id,
            figure.metric,
            figure.address_space,
            figure.compared_with_machine,
            figure.document_id
        order by matched.agreeing desc, len(matched.assumed), figure.cell_id
    )
    = 1
