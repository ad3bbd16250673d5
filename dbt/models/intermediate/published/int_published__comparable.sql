{{ config(materialized="view" if builds_all_days() else "ephemeral") }}

with
    cell as (select * from {{ ref("int_published__cell") }} where not is_after_ziip_offload),

    offload as (select * from {{ ref("int_published__offload") }}),

    printed as (

        select
            cell.*,
            metric as measure,
            value as measure_value,
            value as fallback_value,
            cast(null as varchar) as unavailable_reason
        from cell
        where metric_kind in ('rate', 'cost', 'time', 'utilisation', 'ratio') and value is not null

    ),

    after_offload as (

        select
            cell.*,
            cell.metric || '_after_ziip' as measure,
            offload.cost_after_offload as measure_value,
            offload.cost_before_offload as fallback_value,
            offload.unavailable_reason
        from cell
        inner join offload using (cell_id)

    )

select *
from printed
union all by name
select *
from after_offload
