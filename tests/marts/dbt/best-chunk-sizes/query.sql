-- bundled
-- The best chunk sizes are the printed ones, where the figures of all chunk sizes are printed.
WITH printed AS (
    SELECT concat_ws(', ', 'Linux > Linux', connection, transfer,
            if(md5 IN ('Y', 'true'), 'MD5', 'no MD5'), file_size_mb || ' MB', mode, 'x86-64'
        ) AS configuration,
        max(value) FILTER (metric = 'best_chunk_size') AS chunk_size,
        max(value) FILTER (metric = 'best_transfer_time') AS seconds
    FROM marts.fct_published_measurement
    WHERE metric LIKE 'best_%' AND document_id = '002'
    GROUP BY connection, mode, md5, transfer, file_size_mb
)
SELECT count(*) AS compared, string_agg(configuration, '; ') FILTER (
    (best_level::DOUBLE = chunk_size AND best_value = seconds) IS NOT true
) AS wrong
FROM printed JOIN marts.fct_by_factor AS found USING (configuration)
WHERE document_id = '002' AND factor = 'chunk_size' AND metric = 'transfer_time' AND levels = 4
