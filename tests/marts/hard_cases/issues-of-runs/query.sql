-- Runs say what is wrong with them and nothing else, and which are refused; others are compared.
WITH shown AS (
    SELECT
        run_id, false AS is_refused, is_compared,
        array_to_string(list_sort(list_distinct(issue_kinds)), '|') AS issue_kinds,
        (len(issue_kinds) > 0) = (len(issues) > 0) AS is_told
    FROM marts.fct_run WHERE origin = 'simulated'
    UNION ALL
    SELECT run_id, true, NULL, NULL, true FROM marts.fct_run_refused
)
SELECT
    coalesce(case_name, 'no case') AS case_name, count(truth.run_id) AS runs,
    count_if(truth.is_refused) AS refused, count_if(truth.is_compared) AS compared,
    string_agg(concat_ws(' ', run_id, shown.issue_kinds, shown.is_compared), ', ') FILTER (
        truth.run_id IS NULL OR shown.run_id IS NULL OR NOT is_told
        OR truth.is_refused <> shown.is_refused
        OR NOT truth.is_refused AND (
            coalesce(truth.issue_kinds, '') <> coalesce(shown.issue_kinds, '')
            OR truth.is_compared IS DISTINCT FROM shown.is_compared
        )
    ) AS wrong
FROM truth_runs AS truth FULL JOIN shown USING (run_id) GROUP BY ALL ORDER BY ALL
