-- Figures that take other runs to work out, as documents print them. Changes in percent from an older
-- machine, as (metric, metric of runs). A new secret key of a channel costs what runs in which channels
-- reset their keys spend in channel initiators more than those with the same other factors, except a
-- site's own, in which no channel does.
{% set changes = [
    ("change_of_rate", "transactions_per_second"),
    ("change_of_cost_per_transaction", "cost_per_transaction"),
    ("change_of_cost_per_transaction_of_workload", "cost_per_transaction_of_workload"),
] %}
{% set columns = [
    "origin",
    "source_id",
    "record_no",
    "run_id",
    "campaign",
    "configuration_id",
    "start_utc",
    "more_is_better",
    "source_ids",
] %}
{% set factors = run_factors() | map("first") | list + ["machine", "mq_level"] %}
with
    measurement as (select * from {{ ref("fct_measurement") }}),

    -- What channels show for a run: the last number of resets of each.
    reset as (

        select origin, run_id, sum(resets) as keys
        from
            (
                select output.origin, output.run_id, max(shown.secret_key_resets) as resets
                from {{ source("staging", "bench__channel_status") }} as shown
                inner join {{ ref("int_runs__output") }} as output using (source_id)
                group by output.origin, output.run_id, shown.queue_manager, shown.channel_name
            )
        group by origin, run_id

    ),

    -- A transaction's CPU time in channel initiators; runs are alike if all these factors are equal.
    initiators as (

        select
            measured.origin,
            measured.run_id,
            measured.campaign,
            concat_ws(
                '|'
                {%- for name in factors if name != "key_interval" %}
                    , coalesce(cast(configuration."{{ name }}" as varchar), '')
                {%- endfor %}
            ) as alike,
            reset.keys,
            {{ bounded("sum(measured.value$)", "cost") }}
        from {{ ref("fct_address_space_measurement") }} as measured
        inner join
            {{ address_space_kinds(ref("fct_address_space_measurement")) }} as kind using (address_space)
        inner join {{ ref("int_runs__configuration") }} as configuration using (configuration_id)
        inner join reset on measured.origin = reset.origin and measured.run_id = reset.run_id
        where measured.metric = 'cost_per_transaction' and kind.printed = 'CHIN' and reset.keys is not null
        group by all
        having bool_and(measured.is_compared)

    ),

    without_keys as (

        select origin, campaign, alike, {{ bounded("avg(cost$)", "cost") }}
        from initiators
        where keys = 0
        group by origin, campaign, alike

    ),

    relative as (

        {% for metric, of in changes %}
            select
                {% for name in columns %} measurement.{{ name }}, {% endfor %}
                '{{ metric }}' as metric,
                '%' as unit,
                pair.machine_before as compared_with_machine,
                {{
                    bounded(
                        percent("measurement.value$ - pair.value_before^", "pair.value_before^"), "value"
                    )
                }},
                measurement.is_compared as is_run_compared
            from measurement
            inner join
                {{ ref("machine_pair") }} as pair
                on measurement.origin = pair.origin
                and measurement.configuration_id = pair.configuration_id_after
                and measurement.metric = pair.metric
            where measurement.metric = '{{ of }}'

            union all

        {% endfor %}
        select
            {% for name in columns %}
                {{ "false as more_is_better" if name == "more_is_better" else "measurement." ~ name }},
            {% endfor %}
            'secret_key_cost' as metric,
            'CPU us' as unit,
            null as compared_with_machine,
            {{
                bounded(
                    ratio("(initiators.cost$ - without_keys.cost^) * measurement.value", "initiators.keys"),
                    "value",
                )
            }},
            measurement.is_compared as is_run_compared
        from measurement
        inner join initiators using (origin, run_id)
        inner join
            without_keys
            on initiators.origin = without_keys.origin
            and initiators.campaign = without_keys.campaign
            and initiators.alike = without_keys.alike
        where measurement.metric = 'transactions' and initiators.keys > 0

    )

-- A change is as uncertain as what it is the change of.
select
    * exclude (is_run_compared),
    is_run_compared
    and {{
        is_narrow(
            figure(
                "if(unit = '%', 100, 0) + value",
                "if(unit = '%', 100, 0) + value_low",
                "if(unit = '%', 100, 0) + value_high",
            )
        )
    }} as is_compared
from relative
