-- bundled
-- Shares of misses and the class come from the seeds: the RNI is that of a z16's formula.
SELECT
    min(shares) >= 99 AND max(shares) <= 100.001 AS are_all, max(abs(rni - (
        2.9 * (0.45 * l3_percent + 1.5 * l4_local_percent + 3.2 * l4_remote_percent
        + 6.5 * memory_percent) / 100
    ))) < 1e-9 AS is_rni,
    count(*) - count(rni_class) AS without_class, bool_or(rni_verified) AS verified,
    count(containers_level_1) > 0 AS has_containers,
    bool_and(containers_level_1 <= cps_online) AS are_on_cps
FROM (
    SELECT *, l2_percent + l3_percent + l4_local_percent + l4_remote_percent + memory_percent
        AS shares
    FROM marts.fct_hardware_interval WHERE system_id IN ('SY1', 'SY2')
)
