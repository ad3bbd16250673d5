-- Every figure on both machines, with what LSPR lets one expect; of this campaign's work.
select
    factor.configuration,
    comparison.machine_before,
    comparison.machine_after,
    comparison.metric,
    comparison.unit,
    comparison.runs_before,
    comparison.runs_after,
    comparison.value_before,
    comparison.value_after,
    comparison.change_percent_of_before,
    comparison.improvement_percent_of_before,
    comparison.expected_improvement_percent_of_before as expected,
    comparison.difference_from_expected_points as difference,
    comparison.noise_points,
    comparison.judged,
    comparison.rni_class
from marts.fct_machine_comparison as comparison
join marts.dim_configuration as factor
    on comparison.configuration_id_after = factor.configuration_id
where
    comparison.origin = $origin
    and comparison.configuration_id_after in (
        select configuration_id from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
    and comparison.metric in (
        'rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction'
    )
order by comparison.metric, factor.message_size_bytes, factor.cpus, factor.configuration
