-- What a data set did while no dump was loaded belongs to no known time. Rates before and after are right.
SELECT 'data set' AS kind, interval_end_utc AS from_utc, NULL AS until_utc,
    interval_seconds::VARCHAR AS seconds, bool_and(ios_per_second IS NOT NULL)::VARCHAR AS known
FROM marts.fct_data_set_interval
WHERE system_id = 'DMP1' AND occasion = 'Interval'
    AND interval_end_utc BETWEEN '2026-02-09 14:10' AND '2026-02-09 14:26'
GROUP BY ALL
UNION ALL
SELECT kind, start_utc, end_utc, NULL, affects::VARCHAR
FROM marts.fct_data_issue WHERE system_id = 'DMP1' AND start_utc < '2026-02-10'
UNION ALL
SELECT figures, start_utc, end_utc, NULL, concat_ws(', ', is_recorded, is_known)
FROM marts.fct_completeness WHERE system_id = 'DMP1' AND start_utc < '2026-02-10' AND figures = 'cpu'
ORDER BY ALL
