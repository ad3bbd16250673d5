-- What do network, distance and packet loss do to the rate?
SELECT measured.origin, campaign, source, target, file_size_mb, network, latency_km,
       latency_ms_oneway, loss_pct, channels, count(*) AS runs, avg(value) AS rate_mb_per_second
FROM marts.fct_measurement AS measured
JOIN marts.dim_configuration USING (configuration_id)
WHERE metric = 'rate' AND is_complete
GROUP BY ALL
ORDER BY measured.origin, campaign, source, target, file_size_mb, network, latency_km, loss_pct
