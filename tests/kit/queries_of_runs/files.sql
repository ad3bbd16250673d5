SELECT run_id, count(*) FROM raw.bench_mft_item AS i
JOIN run ON i.time_utc BETWEEN run.start AND run.stop
WHERE result_code = 0 GROUP BY ALL
