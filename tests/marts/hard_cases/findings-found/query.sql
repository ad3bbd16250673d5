-- Each finding is reported with its system and time.
SELECT case_name, kind, count(*) AS findings, count_if(
    NOT EXISTS (
        FROM marts.fct_data_issue AS issue
        WHERE issue.kind = finding.kind AND issue.sysplex IS NOT DISTINCT FROM finding.sysplex
            AND issue.system_id IS NOT DISTINCT FROM finding.system_id
            AND issue.start_utc < finding.end_utc AND issue.end_utc > finding.start_utc
    )
) AS missing
FROM truth_findings AS finding WHERE NOT of_runs GROUP BY ALL ORDER BY ALL
