-- machines have different places in their order
FROM hardware_machine SELECT order_no GROUP BY order_no HAVING count(*) > 1;

-- evidence is of a claim that has a method
FROM published_claim_evidence ANTI JOIN published_claim_method USING (claim_id);

-- each machine has counters of all levels, and a formula
SELECT
    machine.generation,
    count(DISTINCT counter.level) AS levels,
    count(formula.generation) AS formulas
FROM hardware_machine AS machine
LEFT JOIN hardware_miss_counter AS counter USING (generation)
LEFT JOIN hardware_rni AS formula USING (generation)
GROUP BY machine.generation
HAVING levels <> 5 OR formulas = 0;

-- misses and nest intensity have one class: the bounds leave no gap and do not overlap
WITH pair AS (
    SELECT misses / 4 AS l1mp, intensity / 20 AS rni
    FROM range(0, 60) AS misses (misses), range(0, 60) AS intensities (intensity)
)
SELECT pair.l1mp, pair.rni, count(rni_class) AS classes
FROM pair
LEFT JOIN hardware_rni_class AS threshold
    ON l1mp >= l1mp_from AND (l1mp_below IS NULL OR l1mp < l1mp_below)
    AND rni >= rni_from AND (rni_below IS NULL OR rni < rni_below)
GROUP BY ALL
HAVING classes <> 1;
