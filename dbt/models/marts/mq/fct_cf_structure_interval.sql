with
    record as (select * from {{ days(ref("int_mq__record")) }} where record_type = 115 and usable),

    structure as (select * from {{ source("staging", "mq__cf_structure") }})

select
    {{ record_columns("record") }},
    {{ interval_columns("record") }},
    structure.structure_name,
    structure.structure_number,
    structure.single_calls,
    structure.multiple_calls,
    {{ per_second("(structure.single_calls + structure.multiple_calls)", "record.interval_seconds") }}
    as calls_per_second,
    {{ average_us("structure.single_call_seconds", "structure.single_calls") }} as average_single_us,
    {{ average_us("structure.multiple_call_seconds", "structure.multiple_calls") }} as average_multiple_us,
    structure.single_redrives,
    structure.multiple_redrives,
    {{
        percent(
            "(structure.single_redrives + structure.multiple_redrives)",
            "(structure.single_calls + structure.multiple_calls)",
        )
    }} as redrive_percent,
    structure.structure_full,
    structure.max_entries_used,
    structure.max_elements_used
from record
inner join structure using (source_id, record_no)
