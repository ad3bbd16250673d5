-- What an address space used in a run is right, whatever its clock counts. Each of three kinds of
-- CPU time is recorded in hundredths of a second.
SELECT run_id, round(general_purpose_seconds / 0.15) * 0.15 AS used,
    general_purpose_seconds_low = general_purpose_seconds AS low_is_same,
    general_purpose_seconds_high = general_purpose_seconds AS high_is_same
FROM marts.fct_run_address_space
WHERE run_id IN ('lep-1', 'lat-1') AND address_space = 'AGENT1' ORDER BY ALL
