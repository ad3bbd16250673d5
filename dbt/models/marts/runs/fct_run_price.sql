{{ config(materialized="incremental", incremental_strategy="by_run") }}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    speed as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            {{ ratio("sum(share * service_units) / 1e6", "sum(share * used_seconds)") }}
            as msu_hours_per_second
        from {{ intervals_of_runs(ref("fct_lpar_capacity_interval")) }}
        group by all

    ),

    system as (

        select
            system.origin,
            system.run_id,
            {{ bounded("system.general_purpose_seconds$", "general_purpose_seconds") }},
            {{ money_per_cp_second("speed.msu_hours_per_second") }} as money_per_cp_second
        from {{ runs(ref("fct_run_system")) }} as system
        inner join run using (origin, run_id)
        left join speed using (origin, run_id, sysplex, system_id)
        left join
            {{ ref("hardware_machine") }} as machine using (machine_type)
            {{ join_prices("run.start_utc", "machine.generation") }}

    ),

    cpu as (

        select
            origin,
            run_id,
            {{ bounded(known_sum("general_purpose_seconds$ * money_per_cp_second"), "cpu_money") }},
            case
                when min(money_per_cp_second) = max(money_per_cp_second)
                then min(money_per_cp_second)
                else {{ ratio("cpu_money", "sum(general_purpose_seconds)") }}
            end as money_per_cp_second
        from system
        group by all
        having count(money_per_cp_second) = count(*)

    ),

    -- A byte from one LPAR of the run to another one counts once.
    network as (

        select
            origin,
            run_id,
            {% for name, sent in sum_in_run("bytes_sent").items() %}
                greatest({{ sent }}, {{ sum_in_run("bytes_received")[name] }})
                / 1073741824 as network_gb{{ name.removeprefix("value") }}{{ "," if not loop.last }}
            {% endfor %}
        from {{ intervals_of_runs(ref("fct_channel_interval"), names_sysplex=false) }}
        group by all

    )

select
    -- ids
    run.origin,
    run.source_id,
    run.record_no,
    run.run_id,
    run.campaign,
    run.configuration_id,
    run.git_revision,
    run.start_utc,

    -- prices
    price.currency,
    cpu.money_per_cp_second,
    network.network_gb,
    -- What is not known well enough is no part of costs that are compared.
    case
        when network.run_id is null
        then 0
        when {{ is_narrow(with_bounds("network.network_gb")) }} or price.network_gb is null
        then network.network_gb * coalesce(price.network_gb, 0)
    end as network_money,
    cpu.cpu_money + network_money as cost_money,
    run.is_compared
    and {{ is_narrow(with_bounds("cpu.cpu_money")) }}
    and network_money is not null as is_compared
from run
inner join
    {{ ref("stg_lake__price") }} as price on {{ valid_at("price", "run.start_utc") }} and price.machine = ''
left join cpu using (origin, run_id)
left join network using (origin, run_id)
