-- What runs say of the claims of documents: one row per claim, campaign and configuration or pair of
-- configurations. The seed published_claim_run says which runs to compare, in factors; a run that does
-- not state a factor has the level that the document says it has by default. Runs are paired that
-- differ in nothing but the factors that the rule names. Other claims that are computed from printed
-- figures are computed from the runs that meet these figures, in the same way.
with
    method as (select * from {{ ref("published_claim_method") }}),

    configuration as (

        select configuration_id, {{ factor_levels() }} as levels from {{ ref("dim_configuration") }}

    ),

    assumed as (

        select document_id, list(factor || '=' || level) as levels
        from {{ ref("published_setting") }}
        where table_id is null and not must_be_stated
        group by document_id

    ),

    rule as (

        select
            rule.*,
            coalesce(assumed.levels, []) as assumed,
            row_number() over (order by rule.claim_id, rule.metric, rule.candidate, rule.baseline) as rule_no,
            list_distinct(
                list_transform(
                    string_split(concat_ws(';', candidate, baseline), ';'),
                    lambda condition:split_part(condition, '=', 1)
                )
            ) as names
        from {{ ref("published_claim_run") }} as rule
        left join {{ ref("fct_published_claim") }} as claim using (claim_id)
        left join assumed on claim.document_id = assumed.document_id

    ),

    address_space_figure as (

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

        {% for relation, address_space, record in [
            (
                ref("fct_measurement"),
                "cast(null as varchar)",
                "{'source_id': source_id, 'record_no': record_no}",
            ),
            ("address_space_figure", "address_space", "record"),
        ] %}
            select
                origin,
                campaign,
                configuration_id,
                metric,
                {{ address_space }} as address_space,
                min({{ record }}) as record,
                avg(value) as value,
                list(value order by value) as
            values
            from {{ relation }}
            -- A run that fell short of storage is left out of comparisons; claims are about its storage.
            {% if not loop.last %} where is_compared or starts_with(metric, 'csm_') {% endif %}
            group by all {{ "union all" if not loop.last }}
        {% endfor %}

    ),

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
                measured.values,
                list_sort(
                    list_filter(
                        list_distinct(list_concat(configuration.levels, stated.assumed)),
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
            cross join
                lateral(
                    select
                        list_filter(
                            rule.assumed,
                            lambda level:
                            not list_contains(
                                list_transform(configuration.levels, lambda level:split_part(level, '=', 1)),
                                split_part(level, '=', 1)
                            )
                        ) as assumed
                ) as stated
            where
                rule.{{ role }} is not null
                and list_has_all(
                    list_concat(configuration.levels, stated.assumed), string_split(rule.{{ role }}, ';')
                )
                {{ "union all" if not loop.last }}
        {% endfor %}

    ),

    rule_figure as (

        select
            rule.claim_id,
            rule.rule_no,
            candidate.origin,
            candidate.campaign,
            candidate.record,
            false as is_change,
            rule.is_limit,
            rule.method,
            rule.scale,
            candidate.value as candidate,
            baseline.value as baseline,
            candidate.values as candidate_values,
            coalesce(baseline.values, []) as baseline_values,
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
            list(compared.value * printed.value / compared.published_value order by compared.run_id) as
        values
            , list(distinct compared.configuration_id order by compared.configuration_id) as configuration_ids
        from {{ ref("fct_run_against_published") }} as compared
        inner join {{ ref("fct_published_measurement") }} as printed using (cell_id)
        where compared.is_compared and compared.published_value <> 0
        group by compared.origin, compared.campaign, compared.cell_id

    ),

    evidence_figure as (

        select
            evidence.claim_id,
            evidence.pair_no as rule_no,
            cell.origin,
            cell.campaign,
            min(cell.record) as record,
            bool_or(cell.is_change) as is_change,
            any_value(method.method) as method,
            any_value(method.scale) as scale,
            {% set value = "list_avg(cell.values) * if(method.method = 'percent_of', cell.to_standard, 1)" %}
            {% for role in ["candidate", "baseline"] %}
                max({{ value }}) filter (where evidence.role = '{{ role }}') as {{ role }},
                coalesce(
                    any_value(cell.values) filter (where evidence.role = '{{ role }}'), []
                ) as {{ role }}_values,
            {% endfor %}
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

    -- Configurations, or pairs, of which the claim is about all.
    whole as (

        select claim_id, count(*) as parts
        from rule
        group by claim_id
        union all
        select evidence.claim_id, count(distinct evidence.pair_no) as parts
        from {{ ref("published_claim_evidence") }} as evidence
        anti join rule on evidence.claim_id = rule.claim_id
        group by evidence.claim_id

    )

select
    figure.claim_id,
    figure.origin,
    figure.campaign,
    figure.record,
    claim.comparator,
    claim.claimed_low,
    claim.claimed_high,
    coalesce(claim.tolerance, 0) as tolerance,
    claim.unit,
    coalesce(is_limit, false) as is_limit,
    figure.method,
    {{ claim_value("figure.method", "candidate", "baseline", "scale") }} as value,
    if(
        is_change, 100 + candidate, {{ claim_size("figure.method", "candidate", "baseline", "scale") }}
    ) as size,
    candidate_values,
    baseline_values,
    configuration_ids,
    count(distinct rule_no) over (partition by figure.claim_id, figure.origin, figure.campaign) as parts,
    whole.parts as parts_of_claim
from
    (
        select *
        from rule_figure
        union all by name
        select *
        from evidence_figure
    ) as figure
inner join whole using (claim_id)
inner join {{ ref("fct_published_claim") }} as claim using (claim_id)
where value is not null
