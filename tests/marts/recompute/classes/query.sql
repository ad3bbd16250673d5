-- bundled and cases
-- Figures of classes, by IBM's formulas from raw (SMF Explorer publishes them), are what the marts
-- have. They are written as IBM writes them, in milliseconds; docs/cpu-by-hand.md says what
-- differs. IBM writes 0 where a figure has no value.
WITH period AS (
    SELECT source_id, record_no, r723cper AS period, epoch(smf72int) * 1000 AS ms,
        period.* EXCLUDE (source_id, record_no, section_no),
        control.* EXCLUDE (source_id, record_no, section_no)
    FROM raw.smf72_3_service_report_class_period AS period
    JOIN raw.smf72_3_workload_manager_control AS control USING (source_id, record_no)
    JOIN raw.smf72_3_product USING (source_id, record_no)
),
paired AS (
    -- The coefficients that IBM adjusts, and times that it divides by them; both make percent. CPU
    -- time that RMF gives in microseconds is in IBM's formula a hundredth of its percentage: it
    -- stands here in percent.
    SELECT *, r723ccpu * 1e10 / (r723mcpu * 16e7 / r723madj) AS tcb,
        r723csrb * 1e10 / (r723msrb * 16e7 / r723madj) AS srb,
        r723csup * r723nffs * 1e4 / 256 / (r723mcpu * 16e7 / r723madj) * 1e6 / ms AS ziip
    FROM period JOIN marts.fct_service_class_period_interval USING (source_id, record_no, period)
    WHERE cpu_issue IS NULL
),
figures AS (
    SELECT figure, is_measured, ibm, ours FROM paired, LATERAL (VALUES
        (
            'utilization_cp', r723crca,
            (tcb + srb + 100 * (r723crct + r723ciit + r723chst) / 1e3) / ms - ziip,
            100 * general_purpose_seconds / interval_seconds
        ),
        (
            'utilization_ziip', r723crca,
            ziip,
            100 * ziip_cp_equivalent_seconds / interval_seconds
        ),
        (
            'utilization_ziip_on_cp', r723crca,
            r723csuc * 1e4 / (r723mcpu * 16e7 / r723madj) * 1e6 / ms,
            100 * ziip_on_cp_seconds / interval_seconds
        ),
        (
            'transaction_total_per_second', r723crta,
            r723crcp * 1000.0 / ms,
            transactions_per_second
        ),
        (
            'transaction_response_time_mean', r723crta,
            r723ctet / r723crcp * 1024 / 1e6,
            response_seconds
        ),
        (
            'transaction_execution_time_mean', r723crta,
            r723cxet / r723crcp * 1024 / 1e6,
            execution_seconds
        ),
        (
            'transaction_response_time_variance', r723crta,
            if(r723crcp > 1, (r723cets - r723ctet * r723ctet / r723crcp) / (r723crcp - 1), NULL),
            response_deviation_seconds ** 2 * transactions / (transactions - 1) / 1.024e-3 ** 2
        ),
        (
            'execution_velocity', r723ceda,
            r723ctou * 100 / (r723ctou + r723ctot),
            velocity_percent
        ),
        (
            'transaction_average_active', true,
            r723ctat / ms * 1024 / 1000,
            active_transactions
        ),
        (
            'transaction_enclave_average', true,
            r723ciea / ms * 1024 / 1000,
            active_enclaves
        ),
        (
            'transaction_queue_delay_time_mean', r723crta,
            r723cqdt / r723crcp * 1024 / 1e6,
            queue_seconds
        ),
        (
            'transaction_aff_delay_time_mean', r723crta,
            r723cadt / r723crcp * 1024 / 1e6,
            affinity_seconds
        ),
        (
            'transaction_jcl_time_mean', r723crta,
            r723ccvt / r723crcp * 1024 / 1e6,
            conversion_seconds
        ),
        (
            'transaction_inel_delay_time_mean', r723crta,
            r723ciqt / r723crcp * 1024 / 1e6,
            ineligible_seconds
        )
    ) AS of_figure(figure, is_measured, ibm, ours)
)
SELECT figure, count_if(is_measured AND (
    CASE WHEN ours IS NULL THEN ibm IS NULL OR isnan(ibm) OR ibm = 0
    ELSE abs(ours - ibm) <= greatest(1e-6, 1e-6 * abs(ibm)) END
) IS NOT true) AS wrong
FROM figures GROUP BY ALL ORDER BY ALL
