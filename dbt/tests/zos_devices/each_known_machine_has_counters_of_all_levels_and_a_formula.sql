select
    machine.generation,
    count(distinct counter.level) as levels,
    count(formula.generation) as formulas
from {{ ref('hardware_machine') }} as machine
left join {{ ref('hardware_miss_counter') }} as counter using (generation)
left join {{ ref('hardware_rni') }} as formula using (generation)
group by machine.generation
having count(distinct counter.level) <> 5 or count(formula.generation) = 0
