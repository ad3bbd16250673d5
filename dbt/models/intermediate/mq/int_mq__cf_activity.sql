with
    record as (

        select source_id, record_no, interval_seconds
        from {{ days(ref("int_mq__record")) }}
        where record_type = 115

    ),

    structure_total as (

        select
            source_id,
            record_no,
            count(*) as cf_structures,
            cast(sum(single_calls) as bigint) as cf_single_calls,
            cast(sum(multiple_calls) as bigint) as cf_multiple_calls,
            sum(single_call_seconds) as single_call_seconds,
            sum(multiple_call_seconds) as multiple_call_seconds,
            cast(sum(single_redrives + multiple_redrives) as bigint) as cf_redrives,
            cast(sum(structure_full) as bigint) as cf_structure_full
        from {{ source("staging", "mq__cf_structure") }}
        group by source_id, record_no

    )

select
    record.source_id,
    record.record_no,
    structure_total.cf_structures,
    structure_total.cf_single_calls,
    structure_total.cf_multiple_calls,
    {{
        per_second(
            "(structure_total.cf_single_calls + structure_total.cf_multiple_calls)",
            "record.interval_seconds",
        )
    }} as cf_calls_per_second,
    {{ average_us("structure_total.single_call_seconds", "structure_total.cf_single_calls") }}
    as cf_average_single_us,
    {{ average_us("structure_total.multiple_call_seconds", "structure_total.cf_multiple_calls") }}
    as cf_average_multiple_us,
    structure_total.cf_redrives,
    structure_total.cf_structure_full
from record
inner join structure_total using (source_id, record_no)
