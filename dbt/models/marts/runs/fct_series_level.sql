select
    -- ids
    origin,
    source_id,
    record_no,
    campaign,
    configuration_id,
    metric,
    level_no,
    is_current,

    -- level
    first_utc,
    last_utc,
    first_session_no,
    last_session_no,
    sessions,
    runs,
    unit,
    more_is_better,
    level,
    level_low,
    level_high,
    usual_low,
    usual_high,
    last_value,

    -- verdict
    level_before,
    verdict,
    change,
    {% for end in ["low", "high"] %}
        if(isfinite(change_{{ end }}), change_{{ end }}, null) as change_{{ end }},
    {% endfor %}
    change_unit,
    noise_source,
    reason,
    last_verdict,
    last_reason
from {{ ref("series_level") }}
