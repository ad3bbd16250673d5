-- Without type 72 the zIIP factor is that of type 70: 569 of 256.
SELECT system_id, ziip_factor, ziips_needed IS NULL AS unknown
FROM marts.fct_ziip_interval WHERE sysplex = 'FACPLEX' ORDER BY ALL
