select
    configuration.origin,
    configuration.source_id,
    configuration.record_no,
    configuration.configuration_id,
    matched.document_id,
    matched.table_id,
    matched.agreeing as factors_agreeing,
    matched.assumed,
    matched.obstacles,
    len(matched.obstacles) = 0 as is_match
from {{ ref("int_runs__published_match") }} as matched
inner join {{ ref("dim_configuration") }} as configuration using (configuration_id)
where matched.is_nearest
