-- bundled
-- The intervals of entries of data sets leave no gap.
SELECT count(*) > 100 AS many, max(abs(interval_seconds - 900)) < 1 AS are_of_900,
    max(abs(ios / interval_seconds - ios_per_second)) < 1e-9 AS are_per_second
FROM marts.fct_data_set_interval
WHERE system_id IN ('SY1', 'SY2') AND occasion = 'Interval' AND interval_seconds IS NOT NULL
