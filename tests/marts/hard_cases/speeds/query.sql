-- Runs of one configuration at two speeds are two series.
SELECT
    run_id, dense_rank() OVER (ORDER BY configuration_id) AS configuration,
    dense_rank() OVER (ORDER BY factors_id) AS factors, regexp_extract(speed, '\S+ SU/s$') AS speed
FROM marts.fct_run JOIN marts.dim_configuration USING (configuration_id)
WHERE run_id IN ('spd-4', 'spd-5') ORDER BY ALL
