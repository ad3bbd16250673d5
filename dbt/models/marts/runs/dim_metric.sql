-- Metrics that perfhouse derives from records, and others that manifests and harnesses provide.
with
    given as (

        select metric, min(unit) as unit, bool_or(more_is_better) as more_is_better
        from {{ ref("int_runs__measurement") }}
        group by metric

    ),

    team as (

        select metric, min(unit) as unit, bool_or(more_is_better) as more_is_better, min(formula) as formula
        from {{ ref("int_runs__team_metric") }}
        where left_out is null
        group by metric

    )

select
    coalesce(own.metric, team.metric, given.metric) as metric,
    coalesce(own.unit, team.unit, given.unit) as unit,
    case
        when own.metric is not null
        then own.more_is_better
        when team.metric is not null
        then team.more_is_better
        else coalesce(given.more_is_better, published.more_is_better)
    end as more_is_better,
    coalesce(own.formula, team.formula, published.metric_description, 'as given') as formula,
    case
        when own.metric is not null
        then own.derived_from
        when team.metric is not null
        then 'the team''s own models'
        else 'manifest or measurement file'
    end as derived_from,
    coalesce(own.metric, team.metric) is not null as is_derived,
    coalesce(own.label, published.label) as label,
    coalesce(own.symbol, published.symbol) as symbol,
    case when own.metric is null then published.digits else own.digits end as digits
from {{ ref("run_metric") }} as own
full join given on own.metric = given.metric
full join team on coalesce(own.metric, given.metric) = team.metric
left join {{ ref("published_metric") }} as published on given.metric = published.metric
