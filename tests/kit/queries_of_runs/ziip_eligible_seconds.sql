SELECT run_id, sum(c.r723csuc * w.r723madj / 1600 / w.r723mcpu)
FROM raw.smf72_3_service_report_class_period AS c
JOIN raw.smf72_3_workload_manager_control AS w USING (source_id, record_no)
JOIN record72_3 USING (source_id, record_no) WHERE NOT w.r723mrcl GROUP BY ALL
