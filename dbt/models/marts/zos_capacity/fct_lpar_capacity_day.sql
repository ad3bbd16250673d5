{% set average = "coalesce(long_term_average_msu, four_hour_average_msu)" %}

with
    -- By the system's clock; an hour may come twice. Rounded, so that equal hours are equal and the first
    -- of them is the peak.
    hour as (

        select
            origin,
            {{ first_record() }},
            sysplex,
            system_id,
            local_date,
            hour_local,
            min(hour_utc) as hour_utc,
            max(partition_name) as partition_name,
            max(capacity_group) as capacity_group,
            {% for rate, seconds in system_rates().items() %}
                round({{ mean_rate(rate, seconds) }}, 6) as {{ rate }},
                sum({{ rate }} * {{ seconds }}) as {{ rate }}_seconds,
                sum({{ seconds }}) as {{ seconds }},
            {% endfor %}
            {% for measure in system_measures() %}
                {{ known_total(measure) }} as {{ measure }}{{ "," if not loop.last }}
            {% endfor %}
        from {{ days(ref("fct_system_hour"), around=1) }}
        where local_date is not null
        group by origin, sysplex, system_id, local_date, hour_local, utc_offset_minutes

    )

select
    origin,
    {{ first_record(["hour_utc"]) }},
    sysplex,
    system_id,
    local_date,
    max_by(partition_name, (hour_utc, partition_name)) as partition_name,
    max_by(capacity_group, (hour_utc, capacity_group)) as capacity_group,
    sum(interval_seconds) / 3600 as hours_covered,

    -- peak hour of the four-hour average, and the busiest
    {% for column in [
        "hour_local",
        "hour_utc",
        "long_term_average_msu",
        "four_hour_average_msu",
        "consumed_msu",
    ] %}
        arg_min_null({{ column }}, (- {{ average }}, hour_utc)) filter (
            where {{ average }} is not null
        ) as peak_{{ "hour_" if column.endswith("msu") }}{{ column }},
    {% endfor %}
    {% for column in ["hour_local", "consumed_msu"] %}
        arg_min({{ column }}, (- consumed_msu, hour_utc)) filter (
            where consumed_msu is not null
        ) as busiest_{{ "hour_" if column.endswith("msu") }}{{ column }},
    {% endfor %}

    -- consumption, limits, latent demand
    {% for rate in ["consumed_msu", "latent_demand_msu"] %}
        sum({{ rate }}_seconds) / nullif(sum({{ system_rates()[rate] }}), 0) as {{ rate }},
    {% endfor %}
    {% for measure in system_measures() if measure.endswith("_msu") %}
        cast(
            {{ known_total(measure) }}
            as {{ "double" if "hour_average" in measure or "latent" in measure else "bigint" }}
        ) as {{ measure }},
    {% endfor %}
    sum(soft_capped_seconds) / 3600 as soft_capped_hours
from hour
group by origin, sysplex, system_id, local_date
