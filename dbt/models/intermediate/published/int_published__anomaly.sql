with
    anomaly as (select * from {{ source("staging", "published__anomaly") }}),

    load as (select * from {{ ref("stg_lake__load") }}),

    latest as (

        -- If a row was loaded again with different content, keep the last version.
        select anomaly.*
        from anomaly
        left join load using (source_id)
        qualify
            row_number() over (
                partition by anomaly.anomaly_id
                order by load.loaded_at_utc desc nulls last, anomaly.source_id asc
            )
            = 1

    )

select *
from latest
