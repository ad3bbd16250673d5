-- What documents claim in prose, and what runs say of it, by campaign. A claim that is computed from
-- printed figures is computed from the runs that meet these figures in the same way; for others the seed
-- published_claim_run says which runs to compare. Runs are paired that differ in nothing but the factors
-- that it names.
with
    claim as (select * from {{ ref("fct_published_claim") }}),

    method as (select * from {{ ref("published_claim_method") }}),

    configuration as (

        select configuration_id, {{ factor_levels() }} as levels from {{ ref("dim_configuration") }}

    ),

    rule as (

        select
            *,
            row_number() over (order by claim_id, metric, candidate, baseline) as rule_no,
            list_distinct(
                list_transform(
                    string_split(concat_ws(';', candidate, baseline), ';'),
                    lambda condition:split_part(condition, '=', 1)
                )
            ) as names
        from {{ ref("published_claim_run") }}

    ),

    of_space as (

        select
            measured.origin,
            measured.campaign,
            measured.configuration_id,
            measured.run_id,
            measured.metric,
            kind.printed as address_space,
            any_value({'source_id':measured.source_id, 'record_no':measured.record_no}) as record,
            if(any_value(measured.unit) = '%', max(measured.value), sum(measured.value)) as value
        from {{ ref("fct_address_space_measurement") }} as measured
        inner join
            {{ address_space_kinds(ref("fct_address_space_measurement")) }} as kind using (address_space)
        where kind.printed is not null
        group by all
        having bool_and(measured.is_compared)

    ),

    measured as (

        {% for relation, address_space in [
            (ref("fct_measurement"), "cast(null as varchar)"),
            ("of_space", "address_space"),
        ] %}
            select
                origin,
                campaign,
                configuration_id,
                metric,
                {{ address_space }} as address_space,
                {{
                    (
                        "min(record)"
                        if loop.last
                        else "min({'source_id': source_id, 'record_no': record_no})"
                    )
                }} as record,
                avg(value) as value,
                count(*) as runs
            from {{ relation }}
            -- A run that fell short of storage is left out of comparisons; claims are about its storage.
            {% if not loop.last %} where is_compared or starts_with(metric, 'csm_') {% endif %}
            group by all {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    -- A condition without a level (factor=) is met by configurations without the factor.
    side as (

        {% for role in ["candidate", "baseline"] %}
            select
                rule.rule_no,
                '{{ role }}' as role,
                measured.origin,
                measured.campaign,
                measured.configuration_id,
                measured.record,
                if(rule.per is null, measured.value, {{ ratio("measured.value", "divisor.value") }}) as value,
                measured.runs,
                list_sort(
                    list_filter(
                        configuration.levels,
                        lambda level: not list_contains(rule.names, split_part(level, '=', 1))
                    )
                ) as others
            from rule
            inner join
                measured
                on rule.metric = measured.metric
                and rule.address_space is not distinct from measured.address_space
            inner join configuration using (configuration_id)
            left join
                measured as divisor
                on rule.per = divisor.metric
                and measured.origin = divisor.origin
                and measured.campaign = divisor.campaign
                and measured.configuration_id = divisor.configuration_id
                and divisor.address_space is null
            where
                rule.{{ role }} is not null
                and list_bool_and(
                    list_transform(
                        string_split(rule.{{ role }}, ';'),
                        lambda condition:if(
                            ends_with(condition, '='),
                            not list_contains(
                                list_transform(configuration.levels, lambda level:split_part(level, '=', 1)),
                                rtrim(condition, '=')
                            ),
                            list_contains(configuration.levels, condition)
                        )
                    )
                )
                {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    of_rule as (

        select
            rule.claim_id,
            candidate.origin,
            candidate.campaign,
            candidate.record,
            false as is_change,
            rule.method,
            rule.scale,
            candidate.value as candidate,
            baseline.value as baseline,
            candidate.runs as candidate_runs,
            baseline.runs as baseline_runs,
            list_filter(
                [candidate.configuration_id, baseline.configuration_id],
                lambda configuration:configuration is not null
            ) as configuration_ids
        from rule
        inner join
            side as candidate
            on rule.rule_no = candidate.rule_no
            and candidate.role = 'candidate'
            and candidate.value is not null
        left join
            side as baseline
            on rule.rule_no = baseline.rule_no
            and baseline.role = 'baseline'
            and candidate.origin = baseline.origin
            and candidate.campaign = baseline.campaign
            and candidate.others = baseline.others
        where rule.baseline is null or baseline.value is not null

    ),

    -- Runs that meet a printed figure, in the unit in which it is printed.
    cell as (

        select
            compared.origin,
            compared.campaign,
            compared.cell_id,
            min({'source_id':compared.source_id, 'record_no':compared.record_no}) as record,
            any_value(printed.compared_with_machine) is not null as is_change,
            any_value(printed.standard_value / printed.value) as to_standard,
            avg(compared.value * printed.value / compared.published_value) as value,
            count(distinct compared.run_id) as runs,
            list(distinct compared.configuration_id order by compared.configuration_id) as configuration_ids
        from {{ ref("fct_run_against_published") }} as compared
        inner join {{ ref("fct_published_measurement") }} as printed using (cell_id)
        where compared.is_compared and compared.published_value <> 0
        group by compared.origin, compared.campaign, compared.cell_id

    ),

    of_evidence as (

        select
            evidence.claim_id,
            cell.origin,
            cell.campaign,
            min(cell.record) as record,
            bool_or(cell.is_change) as is_change,
            any_value(method.method) as method,
            any_value(method.scale) as scale,
            {% set value = "cell.value * if(method.method = 'percent_of', cell.to_standard, 1)" %}
            max({{ value }}) filter (where evidence.role = 'candidate') as candidate,
            max({{ value }}) filter (where evidence.role = 'baseline') as baseline,
            sum(cell.runs) filter (where evidence.role = 'candidate') as candidate_runs,
            sum(cell.runs) filter (where evidence.role = 'baseline') as baseline_runs,
            list_sort(list_distinct(flatten(list(cell.configuration_ids)))) as configuration_ids
        from
            (
                select *, count(*) over (partition by claim_id, pair_no) as cells
                from {{ ref("published_claim_evidence") }}
            ) as evidence
        inner join cell using (cell_id)
        inner join method on evidence.claim_id = method.claim_id
        anti join rule on evidence.claim_id = rule.claim_id
        group by evidence.claim_id, evidence.pair_no, cell.origin, cell.campaign
        having count(distinct evidence.cell_id) = any_value(evidence.cells)

    ),

    computed as (

        -- A printed figure is that of a run too.
        {% set noise = noise_percent("candidate_runs", "coalesce(baseline_runs, 1)") %}
        select
            *,
            {{ claim_value("method", "candidate", "baseline", "scale") }} as value,
            if(
                is_change,
                (100 + candidate) * ({{ noise }}) / 100,
                {{ claim_noise("method", "candidate", "baseline", "scale", noise) }}
            ) as noise
        from
            (
                select *
                from of_rule
                union all by name
                select *
                from of_evidence
            )

    ),

    found as (

        select
            claim_id,
            origin,
            campaign,
            min(record) as record,
            any_value(method) as method,
            count(*) as pairs,
            cast(sum(candidate_runs + coalesce(baseline_runs, 0)) as bigint) as runs,
            -- "Up to" claims refer to the largest of several figures.
            if(any_value(method) = 'maximum', max(value), min(value)) as found_low,
            max(value) as found_high,
            median(value) as found_median,
            if(any_value(method) = 'maximum', max(value - noise), min(value - noise)) as interval_low,
            max(value + noise) as interval_high,
            -- The least that the largest, and the most that the least can be.
            max(value - noise) as least_of_high,
            min(value + noise) as most_of_low,
            list_sort(list_distinct(flatten(list(configuration_ids)))) as configuration_ids
        from computed
        where value is not null
        group by claim_id, origin, campaign

    ),

    judged as (

        select
            claim.* exclude (origin, method, pairs),
            found.* exclude (claim_id, origin),
            coalesce(found.origin, claim.origin) as found_origin,
            method.not_computed_reason as reason_given,
            all_of.pairs as pairs_of_evidence,
            (
                claim.comparator in ('>', '>=')
                or found.least_of_high <= claim.claimed_high + coalesce(claim.tolerance, 0)
            )
            and (
                claim.comparator in ('<', '<=')
                or if(found.method = 'maximum', found.interval_high, found.most_of_low)
                >= claim.claimed_low - coalesce(claim.tolerance, 0)
            ) as holds,
            coalesce(found.method = 'maximum' and found.pairs < all_of.pairs, false) as is_partial,
            exists (select 1 from rule where rule.claim_id = claim.claim_id) as has_rule
        from claim
        left join found using (claim_id)
        left join method using (claim_id)
        left join
            (
                select claim_id, count(distinct pair_no) as pairs
                from {{ ref("published_claim_evidence") }}
                group by claim_id
            ) as all_of using (claim_id)

    )

select
    -- ids
    found_origin as origin,
    coalesce(record.source_id, source_id) as source_id,
    coalesce(record.record_no, record_no) as record_no,
    claim_id,
    document_id,
    campaign,
    coalesce(configuration_ids, []) as configuration_ids,

    -- claim
    metric,
    conditions,
    comparator,
    claimed_low,
    claimed_high,
    unit,

    -- runs
    if(campaign is null, null, judged.method) as method,
    coalesce(judged.pairs, 0) as pairs,
    coalesce(runs, 0) as runs,
    found_low,
    found_high,
    found_median,
    interval_low,
    interval_high,
    case
        when campaign is null or (is_partial and not holds)
        then 'cannot be judged'
        when holds
        then 'holds'
        else 'does not hold'
    end as verdict,
    -- The highest of some configurations is not that of all.
    case
        when campaign is null and (has_rule or pairs_of_evidence > 0)
        then coalesce(reason_given, 'no run has its conditions')
        when campaign is null
        then coalesce(reason_given, 'it is about no metric of runs')
        when is_partial and not holds
        then format('{} of its {} configurations have runs', pairs, pairs_of_evidence)
    end as reason
from judged
