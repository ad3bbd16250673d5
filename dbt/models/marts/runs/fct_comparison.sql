select
    -- ids
    origin,
    source_id,
    record_no,
    kind,
    campaign,
    document_id,
    section,
    git_revision,
    varied,
    shared_id,
    configuration_id,
    metric,

    -- sides
    unit,
    more_is_better,
    level_before,
    level_after,
    until_utc,
    baseline_runs,
    candidate_runs,
    baseline,
    candidate,

    -- verdict
    verdict,
    estimate,
    {% for end in ["low", "high"] %} if(isfinite({{ end }}), {{ end }}, null) as {{ end }}, {% endfor %}
    change_unit,
    if(isfinite(noise), noise, null) as noise,
    noise_source,
    reason,
    more_runs
from {{ ref("pair_verdict") }}
where kind <> 'expected'
