-- Intervals belong to the local hour in which they start, give or take half a minute.
with
    interval_of_hour as (

        select
            *,
            date_trunc(
                'hour', interval_start_utc + to_minutes(utc_offset_minutes) + interval 30 second
            ) as hour_local
        from {{ days(ref("fct_lpar_capacity_interval"), around=1) }}

    ),

    by_hour as (

        select
            origin,
            sysplex,
            system_id,
            cast(hour_local as date) as local_date,
            hour_local,
            utc_offset_minutes,  -- an hour may come twice
            min(date_trunc('hour', interval_start_utc + interval 30 second)) as hour_utc,
            -- Rounded, so that equal hours are equal and the first of them is the peak.
            round({{ weighted_mean("long_term_average_msu") }}, 6) as long_term_average_msu,
            round({{ weighted_mean("four_hour_average_msu") }}, 6) as four_hour_average_msu,
            round({{ weighted_mean("consumed_msu") }}, 6) as consumed_msu
        from interval_of_hour
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
            cast(hour_local as date) as local_date,
            {{ first_record(["interval_start_utc"]) }},
            max_by(partition_name, (interval_start_utc, partition_name)) as partition_name,
            max_by(capacity_group, (interval_start_utc, capacity_group)) as capacity_group,
            sum(interval_seconds) / 3600 as hours_covered,
            {{ weighted_mean("consumed_msu") }} as consumed_msu,
            max(long_term_average_msu) as highest_long_term_average_msu,
            max(four_hour_average_msu) as highest_four_hour_average_msu,
            max(group_four_hour_average_msu) as highest_group_four_hour_average_msu,
            min(available_capacity_msu) as lowest_available_capacity_msu,
            min(defined_capacity_msu) as lowest_defined_capacity_msu,
            sum(interval_seconds * soft_capped_percent) / 360000 as soft_capped_hours,
            {{ weighted_mean("latent_demand_msu") }} as latent_demand_msu,
            max(latent_demand_msu) as highest_latent_demand_msu
        from interval_of_hour
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
    day.highest_long_term_average_msu,
    day.highest_four_hour_average_msu,
    day.highest_group_four_hour_average_msu,

    -- limits
    day.lowest_available_capacity_msu,
    day.lowest_defined_capacity_msu,
    day.soft_capped_hours,

    -- latent demand
    day.latent_demand_msu,
    day.highest_latent_demand_msu
from day
inner join
    peak
    on day.origin = peak.origin
    and day.sysplex is not distinct from peak.sysplex
    and day.system_id = peak.system_id
    and day.local_date = peak.local_date
