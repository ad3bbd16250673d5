-- All sections of a load are counted with its records of type 115.1.
UPDATE raw.ledger_count SET sections = 0;
UPDATE raw.ledger_count SET sections = found
FROM (
    SELECT source_id AS load, count(*) AS found
    FROM (
        SELECT source_id FROM raw.smf115_qwhs
        UNION ALL SELECT source_id FROM raw.smf116_qwhs
        UNION ALL SELECT source_id FROM raw.smf115_qmst
    )
    GROUP BY source_id
)
WHERE source_id = load AND record_type = 115 AND record_subtype = 1;
