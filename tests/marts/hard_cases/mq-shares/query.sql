-- Intervals of MQ are matched with those of RMF: their shares add up to 1.
SELECT system_id, queue_manager, min(share) AS least, max(share) AS most FROM (
    SELECT system_id, queue_manager, mq_interval_start_utc, sum(mq_share) AS share
    FROM marts.fct_mq_rmf_interval WHERE system_id IN ('DMP1', 'SHF1') GROUP BY ALL
) GROUP BY ALL ORDER BY ALL
