with
    structure as (select * from {{ days(ref("int_zos_devices__cf_structure")) }}),

    by_reason as (

        {% for reason, name in cf_delay_reasons() %}
            select
                structure.*,
                '{{ reason }}' as delay_reason,
                {{ name }}_requests as delayed_requests,
                {{ name }}_us as delay_us,
                {{ name }}_us2 as delay_us2
            from structure
            where {{ name }}_requests is not null {{ "union all" if not loop.last }}
        {% endfor %}

    )

select
    {{ rmf_record_columns("by_reason") }},
    {{ rmf_interval_columns("by_reason") }},
    by_reason.coupling_facility,
    by_reason.structure_name,
    by_reason.structure_version,
    by_reason.structure_type,
    by_reason.delay_reason,
    by_reason.delayed_requests,
    {{ percent("by_reason.delayed_requests", "by_reason.requests") }} as delayed_percent,
    by_reason.delay_us / 1e6 as delay_seconds,
    by_reason.delay_us / nullif(by_reason.delayed_requests, 0) as average_delay_us,
    {{ standard_deviation("by_reason.delayed_requests", "by_reason.delay_us", "by_reason.delay_us2") }}
    as deviation_delay_us,
    by_reason.delay_us / nullif(by_reason.requests, 0) as average_delay_of_all_us
from by_reason
