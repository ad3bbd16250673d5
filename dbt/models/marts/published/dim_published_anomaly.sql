with
    anomaly as (select * from {{ ref("int_published__anomaly") }}),

    cell as (select unnest(anomaly_ids) as anomaly_id, cell_id from {{ ref("int_published__cell") }}),

    claim as (select unnest(anomaly_ids) as anomaly_id, claim_id from {{ ref("int_published__claim") }}),

    counted as (

        select
            -- ids
            anomaly.anomaly_id,
            anomaly.document_ids,
            anomaly.source_id,
            anomaly.record_no,

            -- text
            'published' as origin,
            anomaly.place,
            anomaly.anomaly_kind,
            anomaly.finding,
            anomaly.treatment,

            -- numerics
            (select count(*) from cell where cell.anomaly_id = anomaly.anomaly_id) as cells,
            (select count(*) from claim where claim.anomaly_id = anomaly.anomaly_id) as claims,

            -- booleans
            anomaly.affects_value
        from anomaly

    )

select *
from counted
