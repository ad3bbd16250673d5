with
    used as (

        select
            source_id,
            record_no,
            max(machine_type) as machine_type,
            max(machine_model) as machine_model,
            max(machine_serial) as machine_serial,
            sum(used_seconds) filter (where processor_type = 'CP') as general_purpose_seconds,
            sum(used_seconds) filter (where processor_type = 'zIIP') as ziip_seconds
        from {{ days(ref("fct_processor_interval"), around=1) }}
        group by source_id, record_no

    ),

    interval_usage as (

        select
            capacity.* replace (
                {% for rate in system_rates() %}
                    cast(capacity.{{ rate }} as double) as {{ rate }}{{ "," if not loop.last }}
                {% endfor %}
            ),
            used.* exclude (source_id, record_no),
            'lpar' as subject,
            '' as queue_manager,
            capacity.partition_name as name,
            {% for rate, seconds in system_rates().items() %}
                if(capacity.{{ rate }} is null, 0, capacity.interval_seconds) as {{ seconds }},
            {% endfor %}
            if(capacity.service_units is null, null, used.general_purpose_seconds) as consumed_cp_seconds,
            capacity.interval_seconds * capacity.soft_capped_percent / 100 as soft_capped_seconds,
            capacity.long_term_average_msu as highest_long_term_average_msu,
            capacity.four_hour_average_msu as highest_four_hour_average_msu,
            capacity.group_four_hour_average_msu as highest_group_four_hour_average_msu,
            capacity.latent_demand_msu as highest_latent_demand_msu,
            capacity.available_capacity_msu as lowest_available_capacity_msu,
            capacity.defined_capacity_msu as lowest_defined_capacity_msu,
            if(ziip.general_purpose_seconds is null, 0, capacity.interval_seconds) as class_seconds,
            ziip.ziips_needed as highest_ziips_needed,
            ziip.ziips_online as highest_ziips_online,
            ziip.ziip_factor as highest_ziip_factor
        from {{ days(ref("fct_lpar_capacity_interval"), around=1) }} as capacity
        left join used using (source_id, record_no)
        left join
            {{ days(ref("fct_ziip_interval"), around=1) }} as ziip
            on capacity.origin = ziip.origin
            and capacity.sysplex = ziip.sysplex
            and capacity.system_id = ziip.system_id
            and capacity.interval_start_utc = ziip.interval_start_utc

    ),

    {{
        ledger(
            "subject = 'lpar'",
            system_measures(),
            system_rates(),
            ["machine_type", "machine_model", "machine_serial", "capacity_group"],
        )
    }},

    measured as (

        select
            *,
            hour_utc + to_minutes(utc_offset_minutes) as start_local,
            consumed_msu * consumed_seconds / 3600 as msu_hours,
            {{ ratio("msu_hours", "consumed_cp_seconds") }} as msu_hours_per_cp_second
        from hour

    )

select
    -- ids
    measured.origin,
    measured.source_id,
    measured.record_no,
    measured.sysplex,
    measured.system_id,
    measured.name as partition_name,
    measured.machine_type,
    measured.machine_model,
    measured.machine_serial,
    machine.generation as machine,
    measured.capacity_group,

    -- time
    measured.hour_utc,
    date_trunc('hour', measured.start_local) as hour_local,
    cast(measured.start_local as date) as local_date,
    measured.utc_offset_minutes,
    measured.intervals,
    measured.rolled_intervals,
    measured.minutes,

    -- figures
    {% for measure in system_measures() %} measured.{{ measure }}, {% endfor %}
    {% for rate, seconds in system_rates().items() %}
        measured.{{ rate }}, measured.{{ seconds }},
    {% endfor %}
    measured.msu_hours,

    -- prices
    measured.msu_hours_per_cp_second,
    {{ money_per_cp_second("measured.msu_hours_per_cp_second") }} as money_per_cp_second,
    if(price.msu_hour = 0, measured.general_purpose_seconds, measured.consumed_cp_seconds)
    * money_per_cp_second as cost_money,
    if(cost_money is null, null, price.currency) as currency
from measured
left join
    {{ ref("hardware_machine") }} as machine using (machine_type)
    {{ join_prices("measured.hour_utc", "machine.generation") }}
