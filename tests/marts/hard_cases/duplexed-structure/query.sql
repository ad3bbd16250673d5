-- Each request to a duplexed structure is executed in two coupling facilities, and counts once.
SELECT
    system_id, structure_name, sum(requests) AS executed,
    sum(requests) FILTER (NOT is_included) AS requests,
    (
        SELECT sum(events) FROM marts.fct_run_resource AS run
        WHERE run.run_id = 'cfd-1' AND run.system_id = request.system_id
            AND object_name = structure_name AND NOT is_included
    ) AS requests_of_run,
    (
        SELECT sum(requests) FROM marts.fct_cf_structure_use_interval AS use
        WHERE use.system_id = request.system_id AND use.structure_name = request.structure_name
            AND NOT is_included
    ) AS requests_of_structure
FROM marts.fct_cf_request_interval AS request
WHERE system_id IN ('CFD1', 'CFD2') GROUP BY ALL ORDER BY ALL
