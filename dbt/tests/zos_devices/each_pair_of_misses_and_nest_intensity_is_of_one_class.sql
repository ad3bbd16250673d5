-- The bounds in the seed leave no gap and do not overlap.
with pair as (

    select
        misses / 4.0 as l1mp,
        intensity / 20.0 as rni
    from range(0, 60) as percents (misses)
    cross join range(0, 60) as intensities (intensity)

)

select
    pair.l1mp,
    pair.rni,
    count(threshold.rni_class) as classes
from pair
left join {{ ref('hardware_rni_class') }} as threshold
    on
        pair.l1mp >= threshold.l1mp_from
        and (threshold.l1mp_below is null or pair.l1mp < threshold.l1mp_below)
        and pair.rni >= threshold.rni_from
        and (threshold.rni_below is null or pair.rni < threshold.rni_below)
group by pair.l1mp, pair.rni
having count(threshold.rni_class) <> 1
