-- bundled and cases
-- Hours of LPARs and their local days, worked out again from raw by the formulas of
-- docs/capacity.md, are what the marts have.
WITH used AS (
    SELECT source_id, record_no, smf70xnm AS sysplex, smf70sid AS system_id,
        any_value(epoch(smf70int)) AS seconds, any_value(smf70lac) AS average,
        any_value(epoch(smf70lgo)::BIGINT) AS ahead,
        any_value(floor(epoch(smf70dat + smf70ist - smf70lgo) + 30)::BIGINT) AS moment,
        sum(epoch(smf70edt)) AS cp_seconds,
        sum(epoch(smf70edt)) * 16 / any_value(if(
            smf70cpa_actual <> 0, smf70cpa_actual / smf70cpa_scaling_factor, smf70cpa
        )) AS millions
    FROM raw.smf70_1_prsm_logical_processor AS processor
    JOIN raw.smf70_1_prsm_partition AS partition USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_identification AS kind USING (source_id, record_no)
    JOIN raw.smf70_1_cpu_control USING (source_id, record_no)
    JOIN raw.smf70_1_product USING (source_id, record_no)
    JOIN raw.smf70_1_header USING (source_id, record_no)
    SEMI JOIN (
        FROM marts.fct_lpar_capacity_interval WHERE consumed_msu IS NOT NULL
    ) USING (source_id, record_no)
    WHERE processor.section_no BETWEEN smf70bds + 1 AND smf70bds + smf70bdn
        AND smf70cix = kind.section_no AND trim(smf70cin) = 'CP' AND smf70lpn = smf70ptn
    GROUP BY ALL HAVING NOT bool_or(smf70wsa OR smf70bps = 65535)
),
hour AS (
    SELECT sysplex, system_id,
        greatest(moment // 3600 * 3600, (moment + ahead) // 3600 * 3600 - ahead) AS start,
        start + ahead AS start_local, sum(seconds) AS seconds, sum(cp_seconds) AS cp_seconds,
        sum(millions) AS msu_hours, sum(average * seconds) / sum(seconds) AS average,
        max(average) AS highest
    FROM used GROUP BY ALL
),
local_hour AS (
    SELECT sysplex, system_id, start_local // 3600 AS number,
        make_timestamp(start_local * 1000000)::DATE AS local_date, sum(seconds) AS seconds,
        sum(msu_hours) AS msu_hours, max(highest) AS highest
    FROM hour GROUP BY ALL
),
day AS (
    SELECT sysplex, system_id, local_date, sum(seconds) / 3600 AS hours, max(highest) AS highest,
        sum(msu_hours) / hours AS mean, max(msu_hours / seconds * 3600) AS busiest
    FROM local_hour GROUP BY ALL
),
figures AS (
    SELECT figure, again, ours FROM hour JOIN marts.fct_system_hour AS mart
        ON mart.sysplex = hour.sysplex AND mart.system_id = hour.system_id
        AND epoch(mart.hour_utc) = start AND mart.interval_seconds = hour.seconds,
        LATERAL (VALUES
            ('MSU hours', hour.msu_hours, mart.msu_hours),
            ('CPU time', hour.cp_seconds, mart.consumed_cp_seconds),
            ('speed', hour.msu_hours / nullif(hour.cp_seconds, 0), mart.msu_hours_per_cp_second),
            ('four-hour average of an hour', hour.average, mart.long_term_average_msu)
        ) AS shown(figure, again, ours)
    UNION ALL
    SELECT figure, again, ours FROM day JOIN marts.fct_lpar_capacity_day AS mart
        ON mart.sysplex = day.sysplex AND mart.system_id = day.system_id
        AND mart.local_date = day.local_date AND abs(hours_covered - hours) < 1e-9,
        LATERAL (VALUES
            ('mean of a day', mean, consumed_msu),
            ('busiest hour', busiest, busiest_hour_consumed_msu),
            ('highest average', highest, highest_long_term_average_msu)
        ) AS shown(figure, again, ours)
)
SELECT figure, count(*) > 0 AS some, count_if((
    -- ours are of whole service units, and days rounded to 1e-6 MSU
    CASE WHEN ours IS NULL THEN coalesce(again, 0) = 0
    ELSE abs(ours - again) <= greatest(6e-5, 1e-6 * abs(again)) END
) IS NOT true) AS wrong
FROM figures GROUP BY ALL ORDER BY ALL
