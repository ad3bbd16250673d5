{{ config(materialized="incremental", incremental_strategy="by_run") }}

with
    run as (select * from {{ runs(ref("fct_run")) }}),

    -- Each interval has the price of its own time.
    part as (

        select
            capacity.origin,
            capacity.run_id,
            capacity.sysplex,
            capacity.system_id,
            capacity.share * capacity.used_seconds as seconds,
            {{ money_per_cp_second("capacity.service_units / 1e6 / capacity.used_seconds") }}
            as money_per_second
        from {{ intervals_of_runs(ref("fct_lpar_capacity_interval")) }} as capacity
        inner join run using (origin, run_id)
        inner join {{ runs(ref("fct_run_system")) }} as system using (origin, run_id, sysplex, system_id)
        left join
            {{ ref("hardware_machine") }} as machine using (machine_type)
            {{ join_prices("greatest(capacity.interval_start_utc, run.start_utc)", "machine.generation") }}
        where capacity.service_units is not null and capacity.used_seconds > 0

    ),

    speed as (

        select
            origin,
            run_id,
            sysplex,
            system_id,
            {{ known_sum("seconds * money_per_second") }} / nullif(sum(seconds), 0) as money_per_cp_second
        from part
        group by all

    ),

    system as (

        select
            system.origin,
            system.run_id,
            {{ bounded("system.general_purpose_seconds$", "general_purpose_seconds") }},
            if(
                speed.run_id is null, {{ money_per_cp_second("null") }}, speed.money_per_cp_second
            ) as money_per_cp_second
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

    -- A byte from one LPAR of the run to another one counts once, at the price of its time.
    moved as (

        select
            channel.origin,
            channel.run_id,
            price.valid_from,
            any_value(price.network_gb) as gb_price,
            {% for name, sent in sum_in_run("bytes_sent").items() %}
                greatest({{ sent }}, {{ sum_in_run("bytes_received")[name] }})
                / 1073741824 as network_gb{{ name.removeprefix("value") }}{{ "," if not loop.last }}
            {% endfor %}
        from {{ intervals_of_runs(ref("fct_channel_interval"), names_sysplex=false) }} as channel
        inner join run using (origin, run_id)
        left join
            {{ ref("stg_lake__price") }} as price
            on {{ valid_at("price", "greatest(channel.interval_start_utc, run.start_utc)") }}
            and price.machine = ''
        group by all

    ),

    network as (

        select
            origin,
            run_id,
            {{ bounded(known_sum("network_gb$"), "network_gb") }},
            {{ known_sum("network_gb * coalesce(gb_price, 0)") }} as network_cost,
            max(gb_price) as gb_price
        from moved
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
        when network.gb_price is null or {{ is_narrow(with_bounds("network.network_gb")) }}
        then coalesce(network.network_cost, 0)
    end as network_money,
    if(price.msu_hour is null, 0, cpu.cpu_money) + network_money as cost_money,
    case
        when cost_money is not null
        then
            concat_ws(
                ' and ',
                if(price.msu_hour is null, null, 'CPU'),
                if(network.gb_price is null, null, 'network')
            )
    end as cost_basis,
    run.is_compared
    and (price.msu_hour is null or {{ is_narrow(with_bounds("cpu.cpu_money")) }})
    and network_money is not null as is_compared
from run
inner join
    {{ ref("stg_lake__price") }} as price on {{ valid_at("price", "run.start_utc") }} and price.machine = ''
left join cpu using (origin, run_id)
left join network using (origin, run_id)
