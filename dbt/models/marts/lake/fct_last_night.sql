{{ config(materialized="view", pre_hook="use {{ this.database }}", post_hook="use work") }}
-- A view, as nothing is built while nothing arrives: what is missing follows from the time at which it is
-- read. Its relations have no catalog, as the published file has another one than the working database.
with
    arrival as (

        select
            *,
            cast(now() at time zone 'UTC' as timestamp) as asked_utc,
            case
                when stopped_from_utc <= asked_utc
                then 'stopped'
                when missing_from_utc <= asked_utc
                then 'missing'
            end as state
        from {{ ref("fct_arrival").include(database=false) }}
        where expected_utc is not null or arrivals is null

    )

select
    arrival.kind,
    arrival.origin,
    arrival.name,
    arrival.campaign,
    arrival.configuration_id,
    cast(null as varchar) as metric,
    arrival.expected_utc,
    arrival.last_utc,
    arrival.state is null as arrived,
    coalesce(arrival.state, 'same') as verdict,
    case
        when arrival.state = 'stopped'
        then 'nothing came at 14 expected times: it is no longer expected'
        when arrival.state = 'missing'
        then 'nothing came at the expected time'
        else 'it came when it was expected'
    end as reason
from arrival
where arrival.kind <> 'runs'
union all
select
    'series' as kind,
    arrival.origin,
    concat_ws(', ', arrival.name, coalesce(metric.label, series.metric)) as name,
    arrival.campaign,
    arrival.configuration_id,
    series.metric,
    arrival.expected_utc,
    arrival.last_utc,
    arrival.state is null as arrived,
    coalesce(arrival.state, series.last_verdict) as verdict,
    case
        when arrival.state = 'stopped'
        then 'no run came at 14 expected times: it is no longer expected'
        when arrival.state = 'missing'
        then 'no run came at the expected time'
        else series.last_reason
    end as reason
from arrival
inner join
    {{ ref("fct_series_level").include(database=false) }} as series
    on arrival.origin = series.origin
    and arrival.campaign = series.campaign
    and arrival.configuration_id = series.configuration_id
    and series.is_current
left join {{ ref("dim_metric").include(database=false) }} as metric on series.metric = metric.metric
where arrival.kind = 'runs' and series.more_is_better is not null
