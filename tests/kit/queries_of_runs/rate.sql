SELECT run_id, sum(destination_bytes) / 1048576 / any_value(elapsed_seconds)
FROM raw.bench_mft_item JOIN raw.bench_mft_transfer USING (source_id, record_no)
JOIN run ON bench_mft_transfer.time_utc BETWEEN run.start AND run.stop GROUP BY ALL
