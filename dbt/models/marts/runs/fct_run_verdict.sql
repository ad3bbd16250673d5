-- A figure far from the level of its series is a suspicion: one run in twenty is.
select
    measured.origin,
    measured.source_id,
    measured.record_no,
    measured.run_id,
    measured.campaign,
    measured.configuration_id,
    measured.metric,
    measured.unit,
    measured.value,
    placed.level_no,
    placed.is_current,
    placed.level,
    placed.usual_low,
    placed.usual_high,
    placed.runs,
    case
        when placed.usual_low is null
        then 'not judged'
        when measured.value between placed.usual_low and placed.usual_high
        then 'within'
        else 'suspected'
    end as verdict,
    case
        when placed.usual_low is not null
        then 'against where 95 % of runs at its level are'
        when placed.runs < 3
        then 'fewer than three runs are at its level'
        else placed.reason
    end as reason
from {{ ref("fct_measurement") }} as measured
inner join
    {{ ref("fct_run_session") }} as session
    on measured.origin = session.origin
    and measured.run_id = session.run_id
inner join
    {{ ref("fct_series_level") }} as placed
    on measured.origin = placed.origin
    and measured.campaign is not distinct from placed.campaign
    and measured.configuration_id = placed.configuration_id
    and measured.metric = placed.metric
    and measured.unit is not distinct from placed.unit
    and session.session_no between placed.first_session_no and placed.last_session_no
where measured.is_compared and isfinite(measured.value)
