-- SMF 30 truncates each of its six kinds of CPU time to hundredths of a second.
{% set rounding = {"CP": "6e-2", "zIIP": "1e-2"} %}

with
    interval as (select * from {{ days(ref("int_zos_cpu__interval")) }}),

    type(processor_type) as (values ('CP'), ('zIIP')),

    -- Type 70: CPU time that PR/SM dispatched, and the part that z/OS used.
    processor as (

        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            processor_type,
            used_seconds as processor_seconds,
            case
                when not allocated then (dispatch_seconds - coalesce(effective_seconds, dispatch_seconds))
            end as partition_management_seconds,
            true as has_processors,
            dispatch_seconds,
            busy_seconds
        from {{ days(ref("fct_processor_interval"), around=1) }}

    ),

    -- Type 72: CPU time charged to service classes. Report classes would count the same work twice.
    class as (

        select
            origin,
            sysplex,
            system_id,
            interval_start_utc,
            count(distinct record_no) as class_records,
            {{ possible_sum("general_purpose_seconds", "cpu_issue") }} as cp_seconds,
            {{ possible_sum("ziip_seconds", "cpu_issue") }} as ziip_seconds,
            count(cpu_issue) as class_periods_impossible
        from {{ days(ref("fct_service_class_period_interval"), around=1) }}
        group by all

    ),

    -- Type 30: CPU time charged to address spaces.
    address_space as (

        select
            origin,
            sysplex,
            system_id,
            rmf_interval_start_utc as interval_start_utc,
            count(*) as address_space_records,
            count(*) filter (where general_purpose_seconds is null) as address_spaces_unknown,
            sum(general_purpose_seconds) as cp_seconds,
            sum(ziip_seconds) as ziip_seconds,
            coalesce(sum(general_purpose_seconds) filter (where not aligned), 0) as cp_unaligned_seconds,
            coalesce(sum(ziip_seconds) filter (where not aligned), 0) as ziip_unaligned_seconds
        from {{ days(ref("int_zos_cpu__address_space"), around=1) }}
        where usable and rmf_interval_start_utc is not null
        group by all

    ),

    joined as (

        {% for type, prefix in [("CP", "cp"), ("zIIP", "ziip")] %}
            select
                interval.*,
                type.processor_type,
                processor.processor_seconds,
                processor.has_processors,
                processor.partition_management_seconds,
                processor.dispatch_seconds,
                processor.busy_seconds,
                class.class_records,
                class.class_periods_impossible,
                class.{{ prefix }}_seconds as class_seconds,
                address_space.address_space_records,
                address_space.address_spaces_unknown,
                address_space.{{ prefix }}_seconds as address_space_seconds,
                address_space.{{ prefix }}_unaligned_seconds as unaligned_seconds,
                {{ rounding[type] }} * address_space.address_space_records as rounding_seconds
            from interval
            inner join type on type.processor_type = '{{ type }}'
            left join processor using (origin, sysplex, system_id, interval_start_utc, processor_type)
            left join class using (origin, sysplex, system_id, interval_start_utc)
            left join address_space using (origin, sysplex, system_id, interval_start_utc)
            {% if type == "zIIP" %}
                where processor.has_processors or class.ziip_seconds > 0 or address_space.ziip_seconds > 0
                {% endif %} {{ "union all" if not loop.last }}
        {% endfor %}

    )

select
    {{ rmf_record_columns("joined") }},
    {{ rmf_interval_columns("joined") }},
    joined.processor_type,

    -- the same CPU seconds from three sources
    joined.processor_seconds,
    joined.class_seconds,
    joined.address_space_seconds,

    -- type 70 and type 72 compared
    joined.dispatch_seconds,
    joined.busy_seconds,
    joined.partition_management_seconds,
    case
        when not {{ exceeds("joined.class_seconds", "joined.processor_seconds") }}
        then joined.processor_seconds - joined.class_seconds
    end as uncaptured_seconds,
    case
        when not {{ exceeds("joined.class_seconds", "joined.processor_seconds") }}
        then {{ percent("joined.class_seconds", "joined.processor_seconds") }}
    end as capture_percent,

    -- type 72 and type 30 compared
    coalesce(joined.class_records, 0) as class_records,
    coalesce(joined.address_space_records, 0) as address_space_records,
    coalesce(joined.address_spaces_unknown, 0) as address_spaces_unknown,
    joined.class_seconds - joined.address_space_seconds as class_less_address_space_seconds,
    joined.rounding_seconds,
    joined.unaligned_seconds,
    case
        when joined.address_spaces_unknown = 0
        then
            {{
                not_negative(
                    "abs(joined.class_seconds - joined.address_space_seconds)"
                    ~ " - joined.rounding_seconds - joined.unaligned_seconds"
                )
            }}
    end as unexplained_seconds,

    -- missing sources
    nullif(
        concat_ws(
            ', ',
            case when joined.has_processors is null then 'type 70' end,
            case
                when joined.has_processors and joined.processor_seconds is null then 'CPU time of type 70'
            end,
            case
                when joined.class_seconds is null and coalesce(joined.class_records, 0) = 0 then 'type 72'
            end,
            case when joined.class_periods_impossible > 0 then 'some of type 72' end,
            case when joined.address_space_seconds is null then 'type 30' end,
            case when joined.address_spaces_unknown > 0 then 'some of type 30' end
        ),
        ''
    ) as missing
from joined
