-- Each finding says what was found and done, and leads to a record.
SELECT
    count(*) > 20 AS many,
    count_if((found <> '' AND done <> '') IS NOT true) AS untold,
    count_if((source_id, record_no) NOT IN (SELECT (source_id, record_no) FROM raw.smf_record))
        AS untraced
FROM marts.fct_data_issue WHERE run_id IS NULL AND kind NOT IN ('no_input', 'unknown_form')
