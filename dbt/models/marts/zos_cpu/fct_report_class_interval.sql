with
    record as (

        select * from {{ days(ref("int_rmf__record")) }} where record_type = 72 and part_no = 1 and usable

    ),

    class as (

        select
            source_id,
            record_no,
            class_name,
            max(ziip_factor) as ziip_factor,
            max(cp_capacity) as cp_capacity,
            max(ziip_capacity) as ziip_capacity,
            count(*) as periods,
            nullif(string_agg(distinct cpu_issue, ', ' order by cpu_issue), '') as cpu_issue,
            bool_or(mixed_report_class) as mixed,
            {% for measure in [
                "service",
                "tcb_seconds",
                "srb_seconds",
                "region_control_seconds",
                "io_interrupt_seconds",
                "hiperspace_seconds",
                "general_purpose_seconds",
                "ziip_seconds",
                "ziip_cp_equivalent_seconds",
                "ziip_on_cp_seconds",
                "response_total_seconds",
                "response_squares",
                "execution_total_seconds",
                "queue_total_seconds",
                "affinity_total_seconds",
                "conversion_total_seconds",
                "ineligible_total_seconds",
                "active_seconds",
                "enclave_seconds",
                "dasd_connect_seconds",
                "dasd_disconnect_seconds",
                "dasd_pending_seconds",
                "dasd_iosq_seconds",
            ] %}
                {% if measure.startswith("general") or measure == "tcb_seconds" or "ziip" in measure %}
                    {{ possible_sum(measure, "cpu_issue") }} as {{ measure }},
                {% else %} sum({{ measure }}) as {{ measure }},
                {% endif %}
            {% endfor %}
            {% for count in [
                "transactions",
                "transactions_abended",
                "dasd_requests",
                "using_samples",
                "delay_samples",
                "using_cpu_samples",
                "using_io_samples",
                "delay_cpu_samples",
                "delay_ziip_samples",
                "delay_io_samples",
            ] %}
                cast(sum({{ count }}) as bigint) as {{ count }},
            {% endfor %}
            -- Periods have different bucket bounds, so keep buckets only for a single period.
            case when count(*) = 1 then any_value(bucket_end_seconds) end as bucket_end_seconds,
            case when count(*) = 1 then any_value(buckets) end as buckets
        from {{ days(ref("int_zos_cpu__class_period")) }}
        where is_report_class
        group by source_id, record_no, class_name

    )

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    class.class_name as report_class,
    class.periods,
    class.mixed,

    -- CPU
    class.service,
    class.tcb_seconds,
    class.srb_seconds,
    class.region_control_seconds,
    class.io_interrupt_seconds,
    class.hiperspace_seconds,
    class.general_purpose_seconds,
    {{ percent("class.general_purpose_seconds", "record.interval_seconds * class.cp_capacity") }}
    as appl_percent,
    class.cpu_issue,

    -- zIIP
    class.ziip_seconds,
    class.ziip_factor,
    class.ziip_cp_equivalent_seconds,
    class.ziip_on_cp_seconds,
    class.ziip_cp_equivalent_seconds + class.ziip_on_cp_seconds as eligible_seconds,
    class.general_purpose_seconds + class.ziip_cp_equivalent_seconds as cpu_seconds,
    {{ percent("class.ziip_seconds", "record.interval_seconds * class.ziip_capacity") }} as ziip_appl_percent,
    {{ percent("class.ziip_on_cp_seconds", "record.interval_seconds * class.cp_capacity") }}
    as ziip_on_cp_appl_percent,
    {{ eligible_percent("class") }} as eligible_percent,

    -- transactions
    class.transactions,
    class.transactions_abended,
    {{ per_second("class.transactions", "record.interval_seconds") }} as transactions_per_second,
    class.response_total_seconds / nullif(class.transactions, 0) as response_seconds,
    {{ deviation("class.response_total_seconds", "class.response_squares", "class.transactions") }}
    as response_deviation_seconds,
    class.execution_total_seconds / nullif(class.transactions, 0) as execution_seconds,
    {% for delay in ["queue", "affinity", "conversion", "ineligible"] %}
        class.{{ delay }}_total_seconds / nullif(class.transactions, 0) as {{ delay }}_seconds,
    {% endfor %}
    {{ ratio("class.active_seconds", "record.interval_seconds") }} as active_transactions,
    {{ ratio("class.enclave_seconds", "record.interval_seconds") }} as active_enclaves,
    class.bucket_end_seconds as response_bucket_end_seconds,
    class.buckets as response_bucket_transactions,

    -- DASD
    class.dasd_requests,
    {{ average_us("class.dasd_connect_seconds", "class.dasd_requests") }} as dasd_connect_us,
    {{ average_us("class.dasd_disconnect_seconds", "class.dasd_requests") }} as dasd_disconnect_us,
    {{ average_us("class.dasd_pending_seconds", "class.dasd_requests") }} as dasd_pending_us,
    {{ average_us("class.dasd_iosq_seconds", "class.dasd_requests") }} as dasd_iosq_us,

    -- samples
    {{ percent("class.using_samples", "class.using_samples + class.delay_samples") }} as velocity_percent,
    class.using_samples,
    class.delay_samples,
    class.using_cpu_samples,
    class.using_io_samples,
    class.delay_cpu_samples,
    class.delay_ziip_samples,
    class.delay_io_samples
from class
inner join record using (source_id, record_no)
