{{
    config(
        materialized="incremental" if target.name == "lake" else "table",
        incremental_strategy="whole",
    )
}}

select distinct
    *,
    case
        when origin is null
        then 'no origin'
        when source_id is null or record_no is null
        then 'no record (source_id, record_no)'
        when kind is null
        then 'no kind'
        when found is null
        then 'nothing found'
        when severity is null
        then 'no severity'
        when severity not in ('error', 'warning', 'note')
        then concat('the severity is "', severity, '", not error, warning or note')
    end as left_out
from {{ ref("teams_findings") }}
