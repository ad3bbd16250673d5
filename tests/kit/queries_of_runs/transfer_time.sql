SELECT run_id, elapsed_seconds FROM raw.bench_mft_transfer AS t
JOIN run ON t.time_utc BETWEEN run.start AND run.stop WHERE action = 'completed'
