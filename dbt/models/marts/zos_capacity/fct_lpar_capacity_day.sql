with
    system as (select * from {{ days(ref("fct_system_hour"), around=1) }} where local_date is not null),

    -- By the system's clock; an hour may come twice.
    by_hour as (

        select
            origin,
            sysplex,
            system_id,
            local_date,
            hour_local,
            utc_offset_minutes,
            min(hour_utc) as hour_utc,
            -- Rounded, so that equal hours are equal and the first of them is the peak.
            {% for rate in ["long_term_average_msu", "four_hour_average_msu", "consumed_msu"] %}
                round({{ mean_rate(rate, system_rates()[rate]) }}, 6) as {{ rate }}{{ "," if not loop.last }}
            {% endfor %}
        from system
        group by all

    ),

    peak as (

        select
            origin,
            sysplex,
            system_id,
            local_date,
            min_by(
                struct_pack(
                    hour_local := hour_local,
                    hour_utc := hour_utc,
                    long_term_average_msu := long_term_average_msu,
                    four_hour_average_msu := four_hour_average_msu,
                    consumed_msu := consumed_msu
                ),
                (- coalesce(long_term_average_msu, four_hour_average_msu), hour_utc)
            ) filter (where coalesce(long_term_average_msu, four_hour_average_msu) is not null) as peak,
            min_by(
                struct_pack(hour_local := hour_local, consumed_msu := consumed_msu),
                (- consumed_msu, hour_utc)
            ) filter (where consumed_msu is not null) as busiest
        from by_hour
        group by all

    ),

    day as (

        select
            origin,
            sysplex,
            system_id,
            local_date,
            {{ first_record(["hour_utc"]) }},
            max_by(partition_name, (hour_utc, partition_name)) as partition_name,
            max_by(capacity_group, (hour_utc, capacity_group)) as capacity_group,
            sum(interval_seconds) / 3600 as hours_covered,
            {% for rate in ["consumed_msu", "latent_demand_msu"] %}
                {{ mean_rate(rate, system_rates()[rate]) }} as {{ rate }},
            {% endfor %}
            {% for measure in system_measures() if measure.endswith("_msu") %}
                {{ known_total(measure) }} as {{ measure }},
            {% endfor %}
            sum(soft_capped_seconds) / 3600 as soft_capped_hours
        from system
        group by all

    )

select
    day.origin,
    day.source_id,
    day.record_no,
    day.sysplex,
    day.system_id,
    day.local_date,
    day.partition_name,
    day.capacity_group,
    day.hours_covered,

    -- peak hour of the four-hour average
    peak.peak.hour_local as peak_hour_local,
    peak.peak.hour_utc as peak_hour_utc,
    peak.peak.long_term_average_msu as peak_hour_long_term_average_msu,
    peak.peak.four_hour_average_msu as peak_hour_four_hour_average_msu,
    peak.peak.consumed_msu as peak_hour_consumed_msu,

    -- consumption
    day.consumed_msu,
    peak.busiest.hour_local as busiest_hour_local,
    peak.busiest.consumed_msu as busiest_hour_consumed_msu,
    cast(day.highest_long_term_average_msu as bigint) as highest_long_term_average_msu,
    day.highest_four_hour_average_msu,
    day.highest_group_four_hour_average_msu,

    -- limits
    cast(day.lowest_available_capacity_msu as bigint) as lowest_available_capacity_msu,
    cast(day.lowest_defined_capacity_msu as bigint) as lowest_defined_capacity_msu,
    day.soft_capped_hours,

    -- latent demand
    day.latent_demand_msu,
    day.highest_latent_demand_msu
from day
inner join peak using (origin, sysplex, system_id, local_date)
