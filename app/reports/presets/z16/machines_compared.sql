-- What moving to the later machine improved, and the expected improvement (LSPR): one row per
-- configuration of this campaign.
select
    factor.configuration,
    any_value(comparison.rni_class) as rni_class,
    max(noise_points) as noise_points,
    max(improvement_percent_of_before) filter (where is_rate) as rate_improvement,
    max(expected_improvement_percent_of_before) filter (where is_rate) as rate_expected,
    max(judged) filter (where is_rate) as rate_judged,
    max(improvement_percent_of_before) filter (where not is_rate) as cost_improvement,
    max(expected_improvement_percent_of_before) filter (where not is_rate) as cost_expected,
    max(judged) filter (where not is_rate) as cost_judged
from (
    select
        *,
        metric in ('rate', 'transactions_per_second') as is_rate,
        case
            when verdict = 'agrees' then 'as expected'
            when difference_from_expected_points > 0 then 'more'
            else 'less'
        end as judged
    from marts.fct_machine_comparison
    where
        origin = $origin
        and machine_before = $before and machine_after = $after
        and expected_improvement_percent_of_before is not null
        and metric in ('rate', 'cost_per_GB', 'transactions_per_second', 'cost_per_transaction')
) as comparison
join marts.dim_configuration as factor
    on comparison.configuration_id_after = factor.configuration_id
where
    comparison.configuration_id_after in (
        select configuration_id from marts.fct_run
        where campaign = $campaign and origin = $origin
    )
group by factor.configuration, factor.message_size_bytes, factor.cpus
order by factor.message_size_bytes, factor.cpus, factor.configuration
