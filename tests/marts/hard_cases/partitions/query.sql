-- A partition is counted once, whoever reports it: no two systems have its row of one time.
SELECT own.partition_name, count(DISTINCT own.interval_start_utc) AS intervals,
    count(other.partition_name) AS twice
FROM marts.fct_lpar_interval AS own
LEFT JOIN marts.fct_lpar_interval AS other
    ON (own.sysplex, own.system_id) <> (other.sysplex, other.system_id)
    AND own.origin = other.origin AND own.machine_serial = other.machine_serial
    AND own.partition_name = other.partition_name
    AND own.partition_number = other.partition_number
    AND own.processor_type = other.processor_type
    AND own.interval_start_utc + INTERVAL 2 SECOND < other.interval_end_utc
    AND own.interval_end_utc - INTERVAL 2 SECOND > other.interval_start_utc
WHERE own.processor_type = 'CP'
GROUP BY ALL HAVING twice > 0 OR own.partition_name LIKE 'LEN_' ORDER BY ALL
