-- A step inside of the run narrows its bounds: its address spaces tell what they used in it, and
-- before and after it. Of the run's 300 s they are charged with 282; of 15 s of idle time, 6 % are
-- charged to none. Type 30 has hundredths of seconds.
SELECT
    abs(general_purpose_seconds_low - 282) < 0.5 AS low_is_right,
    abs(general_purpose_seconds - (282 + 0.04 * 315)) < 0.5 AS middle_is_right,
    abs(general_purpose_seconds_high - (300 + 0.06 * 15)) < 0.5 AS high_is_right
FROM marts.fct_run_total WHERE run_id = 'prt-2'
