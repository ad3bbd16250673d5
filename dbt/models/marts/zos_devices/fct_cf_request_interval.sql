with
    structure as (select * from {{ days(ref("int_zos_devices__cf_structure")) }}),

    by_kind as (

        {% for kind, requests, time, squares in cf_request_kinds() %}
            select
                structure.*,
                '{{ kind }}' as request_kind,
                {{ requests }} as kind_requests,
                {{ time }} as kind_us,
                {{ squares }} as kind_us2
            from structure
            where {{ requests }} is not null {{ "union all" if not loop.last }}
        {% endfor %}

    )

select
    {{ rmf_record_columns("by_kind") }},
    {{ rmf_interval_columns("by_kind") }},
    by_kind.coupling_facility,
    by_kind.structure_name,
    by_kind.structure_version,
    by_kind.structure_type,
    by_kind.request_kind,
    -- Requests that the system changed count as asynchronous, too.
    by_kind.request_kind = 'changed' or by_kind.is_secondary as is_included,
    by_kind.kind_requests as requests,
    {{ per_second("by_kind.kind_requests", "by_kind.interval_seconds") }} as requests_per_second,
    {{ percent("by_kind.kind_requests", "by_kind.requests") }} as requests_percent,
    by_kind.kind_us / nullif(by_kind.kind_requests, 0) as average_service_us,
    {{ standard_deviation("by_kind.kind_requests", "by_kind.kind_us", "by_kind.kind_us2") }}
    as deviation_service_us
from by_kind
