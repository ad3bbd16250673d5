-- The run that each tool output belongs to: the longest run_id that the file name contains as whole
-- words, separated by dots, hyphens, underscores or blanks; otherwise the run that its folder is
-- named after.
with
    file as (

        select
            load.source_id,
            load.origin,
            load.path,
            regexp_extract(load.path, '([^/]+)/[^/]+$', 1) as folder,
            regexp_extract_all(regexp_extract(load.path, '[^/]+$'), '[^._ -]+|[._ -]') as parts
        from {{ ref("stg_lake__load") }} as load
        semi join {{ ref("int_runs__printed") }} using (source_id)

    ),

    candidate as (

        select
            source_id,
            origin,
            'file name' as told_by,
            unnest(
                flatten(
                    [
                        [array_to_string(parts[first:last], '') for last in range(first, len(parts) + 1)]
                        for first in range(1, len(parts) + 1)
                    ]
                )
            ) as run_id
        from file

        union all

        select source_id, origin, 'folder' as told_by, folder as run_id
        from file

    ),

    -- A file that matches two runs equally well belongs to neither.
    matched as (

        select source_id, min(run_id) as run_id, min(told_by) as told_by
        from
            (
                select *
                from candidate
                semi join {{ ref("int_runs__run") }} using (origin, run_id)
                qualify rank() over (partition by source_id order by told_by, length(run_id) desc) = 1
            )
        group by source_id
        having count(distinct run_id) = 1

    )

select file.source_id, file.origin, file.path, matched.run_id, matched.told_by
from file
left join matched using (source_id)
