-- Metrics that perfhouse derives from records, and others that manifests and harnesses provide.
with given as (

    select
        metric,
        min(unit) as unit,
        bool_or(more_is_better) as more_is_better
    from {{ ref('int_runs__measurement') }}
    group by metric

)

select
    coalesce(own.metric, given.metric) as metric,
    coalesce(own.unit, given.unit) as unit,
    case
        when own.metric is not null then own.more_is_better
        else coalesce(given.more_is_better, published.more_is_better)
    end as more_is_better,
    coalesce(own.formula, published.metric_description, 'as given') as formula,
    coalesce(own.derived_from, 'manifest or measurement file') as derived_from,
    own.metric is not null as is_derived,
    coalesce(own.label, published.label) as label,
    coalesce(own.symbol, published.symbol) as symbol,
    case when own.metric is null then published.digits else own.digits end as digits
from {{ ref('run_metric') }} as own
full join given on own.metric = given.metric
left join {{ ref('published_metric') }} as published on given.metric = published.metric
