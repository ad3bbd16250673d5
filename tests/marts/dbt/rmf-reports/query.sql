-- bundled
-- Figures printed by RMF are paired with those of its records, and agree: each reaches its row in
-- two ways, printed and parsed, and recorded.
SELECT subject_kind, figure, count(recorded) > 0 AS some,
    count_if(agrees) - count(recorded) AS wrong
FROM marts.fct_rmf_report_figure GROUP BY ALL HAVING count(recorded) > 0 ORDER BY ALL
