-- bundled
-- The peak hour is the hour of the highest average.
WITH hour AS (
    SELECT origin, sysplex, system_id,
        date_trunc('hour', interval_start_utc + INTERVAL 30 SECOND) AS hour_utc,
        CAST(
            interval_start_utc + to_minutes(utc_offset_minutes) + INTERVAL 30 SECOND AS DATE
        ) AS local_date,
        sum(long_term_average_msu * interval_seconds) / sum(interval_seconds) AS mean
    FROM marts.fct_lpar_capacity_interval GROUP BY ALL
),
day AS (
    SELECT abs(max(mean) - any_value(peak_hour_long_term_average_msu)) < 1e-5 AS same,
        bool_or(hour_utc = peak_hour_utc) AS named
    FROM hour JOIN marts.fct_lpar_capacity_day USING (origin, sysplex, system_id, local_date)
    GROUP BY origin, sysplex, system_id, local_date
)
SELECT count(*) > 3 AS many, bool_and(same) AS same, bool_and(named) AS named FROM day
