-- bundled
-- The group consumed what its partitions did.
SELECT count(*) > 5 AS many, max(abs(ratio - 1)) < 1e-3 AS same FROM (
    SELECT any_value(group_consumed_msu) / sum(consumed_msu) AS ratio
    FROM marts.fct_lpar_capacity_interval WHERE sysplex = 'PLEX1'
    GROUP BY date_trunc('minute', interval_start_utc + INTERVAL 30 SECOND) HAVING count(*) = 2
)
