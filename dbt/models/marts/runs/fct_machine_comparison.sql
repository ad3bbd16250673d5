select
    -- ids
    pair.origin,
    pair.source_id,
    pair.record_no,
    pair.factors_id,
    pair.mq_level,
    pair.machine_before,
    pair.machine_after,
    pair.configuration_id_before,
    pair.configuration_id_after,
    pair.metric,

    -- change
    pair.unit,
    pair.runs_before,
    pair.runs_after,
    {{ bounded("pair.value_before$", "value_before") }},
    {{ bounded("pair.value_after$", "value_after") }},
    pair.change_percent_of_before,
    pair.improvement_percent_of_before,

    -- expectation
    pair.cps,
    pair.rni_class,
    pair.expected_for_cps,
    pair.expected_percent as expected_improvement_percent_of_before,
    pair.improvement_percent_of_before - pair.expected_percent as difference_from_expected_points,
    judged.verdict
from {{ ref("machine_pair") }} as pair
left join
    {{ ref("pair_verdict") }} as judged
    on judged.kind = 'expected'
    and pair.origin = judged.origin
    and pair.configuration_id_before = judged.level_before
    and pair.configuration_id_after = judged.level_after
    and pair.metric = judged.metric
