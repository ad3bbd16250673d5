-- Parts of a metric: per split and part the means before and after, the noise before, and the change
-- of the whole metric. A total of work is at the usual amount of work, as in series.per_work. The
-- parts of `fct_run_part` are per GB or transaction, as the metric is. A run counts for a split if
-- all that it has of that is compared.
WITH run AS (
    SELECT run_id, list_contains($after, run_id) AS is_after
    FROM marts.fct_run
    WHERE origin = $origin AND campaign = $campaign AND configuration_id = $configuration
        AND (list_contains($before, run_id) OR list_contains($after, run_id))
), work AS (
    SELECT metric AS name, run_id, value, median(value) OVER (PARTITION BY metric) AS usual
    FROM marts.fct_measurement
    WHERE origin = $origin AND campaign = $campaign AND configuration_id = $configuration
        AND metric IN ('bytes', 'transactions', 'messages') AND value > 0 AND is_compared
), done AS (
    SELECT run_id, arg_min(usual / value, name) AS scale FROM work GROUP BY run_id
), base AS (
    SELECT metric AS name FROM marts.fct_run_part
    WHERE origin = $origin AND configuration_id = $configuration
        AND starts_with(metric, if($is_cost, 'cost', 'seconds'))
        AND ($is_total OR NOT $is_cost OR starts_with($metric, metric))
    GROUP BY metric
    ORDER BY (contains($metric, 'transaction') AND contains(metric, 'transaction')) DESC, metric
    LIMIT 1
), part AS (
    SELECT split, part, run_id,
        if($is_total, 'CPU s', unit) AS unit,
        value * if($is_total, (
            SELECT any_value(if(name = 'bytes', usual / 1073741824, usual / 1000000)) FROM work
            WHERE name = if(contains((FROM base), 'GB'), 'bytes', 'transactions')
        ), 1) AS value
    FROM marts.fct_run_part
    WHERE origin = $origin AND configuration_id = $configuration AND metric = (FROM base)
        AND is_compared
        AND ($of_all_cpu OR (split IN ('verb', 'zIIP') AND part <> 'not in verbs of MQ'))
), measured AS (
    SELECT 'address space' AS split, address_space AS part, run_id, unit, value
    FROM marts.fct_address_space_measurement
    WHERE origin = $origin AND campaign = $campaign AND configuration_id = $configuration
        AND metric = $part_metric AND $is_cost AND (NOT $of_all_cpu OR NOT EXISTS (FROM part))
    QUALIFY bool_and(is_compared) OVER (PARTITION BY run_id)
    UNION ALL
    SELECT 'system', system, run_id, unit, value
    FROM marts.fct_system_measurement
    WHERE origin = $origin AND campaign = $campaign AND configuration_id = $configuration
        AND metric = $metric AND $is_cost AND (NOT $of_all_cpu OR NOT EXISTS (FROM part))
    QUALIFY bool_and(is_compared) OVER (PARTITION BY run_id)
), whole AS (
    SELECT 'whole' AS split, '' AS part, run_id, unit, value
    FROM marts.fct_measurement
    WHERE origin = $origin AND campaign = $campaign AND configuration_id = $configuration
        AND metric = $metric AND is_compared
), scaled AS (
    SELECT split, part, run_id, unit, value * if($is_total, coalesce(scale, 1), 1) AS value
    FROM (
        FROM measured
        UNION ALL FROM whole
        UNION ALL BY NAME
        SELECT 'address space' AS split, 'not charged to address spaces' AS part, run_id,
            any_value(whole.unit) AS unit, any_value(whole.value) - sum(measured.value) AS value
        FROM measured JOIN whole USING (run_id)
        WHERE measured.split = 'address space' GROUP BY run_id
    )
    LEFT JOIN done USING (run_id)
    UNION ALL BY NAME
    FROM part
), counted AS (
    SELECT split, count(DISTINCT run_id) FILTER (NOT is_after) AS runs_before,
        count(DISTINCT run_id) FILTER (is_after) AS runs_after
    FROM scaled JOIN run USING (run_id) GROUP BY split HAVING runs_before > 0 AND runs_after > 0
), total AS (
    SELECT split, part, any_value(unit) AS unit,
        coalesce(sum(value) FILTER (NOT is_after), 0) / any_value(runs_before) AS before,
        coalesce(sum(value) FILTER (is_after), 0) / any_value(runs_after) AS after,
        stddev_samp(value) FILTER (NOT is_after) AS noise
    FROM scaled JOIN run USING (run_id) JOIN counted USING (split) GROUP BY split, part
)
SELECT *,
    if($of_all_cpu,
        sum(after - before) OVER (PARTITION BY split),
        (SELECT after - before FROM total WHERE split = 'whole')) AS whole
FROM total WHERE split <> 'whole' ORDER BY split, abs(after - before) DESC, part
