SELECT run_id, sum(destination_bytes) FROM raw.bench_mft_item AS i
JOIN run ON i.time_utc BETWEEN run.start AND run.stop GROUP BY ALL
