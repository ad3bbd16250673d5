with
    record as (

        select * from {{ days(ref("int_rmf__record")) }} where record_type = 72 and part_no = 1 and usable

    ),

    period as (select * from {{ days(ref("int_zos_cpu__class_period")) }} where not is_report_class),

    response as (

        select
            *,
            response_total_seconds / nullif(transactions, 0) as response_seconds,
            {{ percent("using_samples", "using_samples + delay_samples") }} as velocity,
            list_sum(buckets) as bucket_transactions,
            [list_sum(buckets[1:place]) for _, place in buckets] as cumulative
        from period

    ),

    -- The bucket in which the transactions reach the goal's percentile.
    with_reached_bucket as (

        select
            *,
            case
                when goal_type = 'percentile' and bucket_transactions > 0
                then
                    list_position(
                        [count * 100 >= goal_percentile * bucket_transactions for count in cumulative], true
                    )
            end as reached_bucket
        from response

    ),

    -- The last bucket has no upper bound, so use the end of the bucket before it as a lower bound.
    with_ended_bucket as (

        select
            *,
            case
                when reached_bucket = len(buckets) then reached_bucket - 1 else reached_bucket
            end as last_ended_bucket
        from with_reached_bucket

    )

select
    {{ rmf_record_columns("record") }},
    {{ rmf_interval_columns("record") }},
    period.class_name as service_class,
    period.period,
    period.workload,
    period.service_policy,

    -- goal
    period.goal_type,
    period.importance,
    period.goal_seconds,
    period.goal_percentile,
    period.goal_velocity,
    case
        period.goal_type
        when 'velocity'
        then {{ ratio("period.goal_velocity", "period.velocity") }}
        when 'average'
        then {{ ratio("period.response_seconds", "period.goal_seconds") }}
        when 'percentile'
        then {{ ratio("period.bucket_end_seconds[period.last_ended_bucket]", "period.goal_seconds") }}
    end as performance_index,
    case
        period.goal_type
        when 'percentile'
        then period.reached_bucket = len(period.buckets)
        when 'velocity'
        then false
        when 'average'
        then false
    end as performance_index_open,

    -- CPU
    period.service,
    period.tcb_seconds,
    period.srb_seconds,
    period.region_control_seconds,
    period.io_interrupt_seconds,
    period.hiperspace_seconds,
    period.general_purpose_seconds,
    period.promoted_seconds,
    {{ percent("period.general_purpose_seconds", "record.interval_seconds * period.cp_capacity") }}
    as appl_percent,
    period.cpu_issue,

    -- zIIP
    period.ziip_seconds,
    period.ziip_factor,
    period.ziip_cp_equivalent_seconds,
    period.ziip_on_cp_seconds,
    {{ percent("period.ziip_seconds", "record.interval_seconds * period.ziip_capacity") }}
    as ziip_appl_percent,
    {{ percent("period.ziip_on_cp_seconds", "record.interval_seconds * period.cp_capacity") }}
    as ziip_on_cp_appl_percent,
    {{ eligible_percent("period") }} as eligible_percent,

    -- transactions
    period.transactions,
    period.transactions_abended,
    {{ per_second("period.transactions", "record.interval_seconds") }} as transactions_per_second,
    period.response_seconds,
    {{ deviation("period.response_total_seconds", "period.response_squares", "period.transactions") }}
    as response_deviation_seconds,
    period.execution_total_seconds / nullif(period.transactions, 0) as execution_seconds,
    {% for delay in ["queue", "affinity", "conversion", "ineligible"] %}
        period.{{ delay }}_total_seconds / nullif(period.transactions, 0) as {{ delay }}_seconds,
    {% endfor %}
    {{ ratio("period.active_seconds", "record.interval_seconds") }} as active_transactions,
    {{ ratio("period.enclave_seconds", "record.interval_seconds") }} as active_enclaves,
    {{ ratio("period.resident_seconds", "record.interval_seconds") }} as resident_transactions,
    period.bucket_end_seconds as response_bucket_end_seconds,
    period.buckets as response_bucket_transactions,

    -- DASD
    period.dasd_requests,
    {{ average_us("period.dasd_connect_seconds", "period.dasd_requests") }} as dasd_connect_us,
    {{ average_us("period.dasd_disconnect_seconds", "period.dasd_requests") }} as dasd_disconnect_us,
    {{ average_us("period.dasd_pending_seconds", "period.dasd_requests") }} as dasd_pending_us,
    {{ average_us("period.dasd_iosq_seconds", "period.dasd_requests") }} as dasd_iosq_us,

    -- samples
    period.velocity as velocity_percent,
    period.using_samples,
    period.delay_samples,
    {% for kind in [
        "using_cpu",
        "using_ziip",
        "ziip_work_on_cp",
        "using_io",
        "delay_cpu",
        "delay_ziip",
        "delay_capping",
        "delay_io",
        "delay_swap_in",
        "delay_mpl",
        "delay_paging",
        "delay_queue",
        "delay_crypto",
        "delay_contention",
        "unknown",
        "idle",
    ] %}
        period.{{ kind }}_samples,
    {% endfor %}
    {{ percent("period.delay_cpu_samples", "period.using_samples + period.delay_samples") }}
    as delay_cpu_percent
from with_ended_bucket as period
inner join record using (source_id, record_no)
