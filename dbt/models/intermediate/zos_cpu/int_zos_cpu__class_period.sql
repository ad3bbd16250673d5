with
    class as (select * from {{ merged_sections(ref("stg_zos_cpu__workload_control")) }} where section_no = 1),

    period as (select * from {{ merged_sections(ref("stg_zos_cpu__class_period")) }}),

    response_time as (select * from {{ merged_sections(source("staging", "zos_cpu__response_time")) }}),

    -- The first row defines the buckets: the end of each as a percentage of the midpoint.
    bucket_map as (

        select source_id, record_no, buckets as bucket_ends from response_time where section_no = 1

    ),

    record as (select * from {{ days(ref("int_rmf__record"), around=1) }} where usable and part_no = 1),

    -- Service units are counted at the speed of the moment, and converted by that of the interval's end.
    at_two_speeds as (

        select distinct record.source_id, record.record_no
        from class
        inner join record using (source_id, record_no)
        inner join
            (
                select record.*, control.capacity_changed, control.service_units_per_second
                from {{ merged_sections(source("staging", "zos_cpu__control")) }} as control
                inner join record using (source_id, record_no)
                where control.section_no = 1
            ) as speed using (origin, sysplex, system_id, interval_start_utc)
        where
            speed.capacity_changed
            or abs(speed.service_units_per_second * class.cpu_adjustment / 16e6 - 1) > 0.005

    ),

    period_buckets as (

        select
            period.source_id,
            period.record_no,
            period.section_no,
            -- In a broken record, the index counts within its part if the part has that many sections,
            -- otherwise across the whole record.
            coalesce(within.buckets, whole.buckets) as buckets
        from period
        left join
            response_time as within
            on period.source_id = within.source_id
            and period.record_no = within.record_no
            and period.part_no = within.part_no
            and period.response_times_index + 1 = within.part_section_no
        left join
            response_time as whole
            on period.source_id = whole.source_id
            and period.record_no = whole.record_no
            and period.response_times_index + 1 = whole.section_no
        -- Index 0 points to the bucket definitions: the period has no response times.
        where period.response_times_index > 0

    ),

    converted as (

        select
            period.* exclude (part_no, part_section_no),
            class.* exclude (source_id, record_no, section_no, part_no, part_section_no),
            at_two_speeds.source_id is not null as capacity_changed,
            period_buckets.buckets,
            case
                when period_buckets.buckets is not null
                then [period.midpoint_seconds * share / 100.0 for share in bucket_map.bucket_ends]
            end as bucket_end_seconds,
            {% for service, coefficient, seconds in [
                ("cpu_service", "cpu_coefficient", "cpu_service_seconds"),
                ("srb_service", "srb_coefficient", "srb_seconds"),
                ("ziip_service", "cpu_coefficient", "ziip_seconds"),
                ("ziip_on_cp_service", "cpu_coefficient", "ziip_on_cp_seconds"),
                ("zaap_service", "cpu_coefficient", "zaap_seconds"),
            ] %}
                {{
                    service_seconds(
                        "period." ~ service,
                        "if(capacity_changed, null, class.cpu_adjustment)",
                        "class." ~ coefficient,
                    )
                }} as {{ seconds }}{{ "," if not loop.last }}
            {% endfor %}
        from period
        inner join class using (source_id, record_no)
        left join at_two_speeds using (source_id, record_no)
        left join
            period_buckets
            on period.source_id = period_buckets.source_id
            and period.record_no = period_buckets.record_no
            and period.section_no = period_buckets.section_no
        left join
            bucket_map on period.source_id = bucket_map.source_id and period.record_no = bucket_map.record_no
        where not coalesce(class.without_data, false)

    ),

    -- Each group of figures has a flag that says whether RMF gathered it.
    validated as (

        select
            * replace (
                {% for column in [
                    "cpu_service_seconds",
                    "srb_seconds",
                    "ziip_seconds",
                    "ziip_on_cp_seconds",
                    "zaap_seconds",
                    "region_control_seconds",
                    "io_interrupt_seconds",
                    "hiperspace_seconds",
                    "promoted_seconds",
                    "service",
                ] %}
                    case when has_resources then {{ column }} end as {{ column }},
                {% endfor %}
                {% for column in [
                    "transactions",
                    "transactions_abended",
                    "response_total_seconds",
                    "execution_total_seconds",
                    "queue_total_seconds",
                    "affinity_total_seconds",
                    "conversion_total_seconds",
                    "ineligible_total_seconds",
                    "response_squares",
                    "buckets",
                    "bucket_end_seconds",
                ] %}
                    case when has_response_times then {{ column }} end as {{ column }},
                {% endfor %}
                {% for column in [
                    "using_samples",
                    "delay_samples",
                    "using_cpu_samples",
                    "using_ziip_samples",
                    "ziip_work_on_cp_samples",
                    "using_io_samples",
                    "delay_cpu_samples",
                    "delay_ziip_samples",
                    "delay_capping_samples",
                    "delay_io_samples",
                    "delay_swap_in_samples",
                    "delay_mpl_samples",
                    "delay_paging_samples",
                    "delay_queue_samples",
                    "delay_crypto_samples",
                    "delay_contention_samples",
                    "unknown_samples",
                    "idle_samples",
                ] %}
                    case when has_delays then {{ column }} end as {{ column }}{{ "," if not loop.last }}
                {% endfor %}
            )
        from converted

    ),

    -- CPU service includes zIIP and zAAP service, normalised to CP speed.
    with_tcb as (

        select
            *,
            cpu_service_seconds
            - coalesce(ziip_seconds * ziip_factor, 0)
            - coalesce(zaap_seconds * zaap_factor, 0) as tcb_seconds
        from validated

    ),

    -- Factors are rounded to 1/256, so CPU time of a class that runs on zIIPs only can be a little below
    -- zero.
    checked as (

        select
            *,
            nullif(
                concat_ws(
                    ', ',
                    case
                        when capacity_changed and cpu_service_seconds + srb_seconds is null
                        then 'the capacity changed in the interval'
                    end,
                    {% for service in ["CPU", "SRB"] %}
                        case
                            when {{ service | lower }}_coefficient = 0
                            then '{{ service }} service has no weight'
                        end,
                    {% endfor %}
                    case
                        when tcb_seconds < -0.01 - 0.005 * coalesce(ziip_seconds * ziip_factor, 0)
                        then format('TCB time {:.6g} s', tcb_seconds)
                    end,
                    {% for column, name in [
                        ("srb_seconds", "SRB time"),
                        ("ziip_seconds", "zIIP time"),
                        ("ziip_on_cp_seconds", "zIIP time on CPs"),
                        ("region_control_seconds", "region control time"),
                        ("io_interrupt_seconds", "I/O interrupt time"),
                        ("hiperspace_seconds", "hiperspace time"),
                    ] %}
                        case
                            when {{ column }} < 0 then '{{ name }} ' || format('{:.6g} s', {{ column }})
                        end{{ "," if not loop.last }}
                    {% endfor %}
                ),
                ''
            ) as cpu_issue
        from with_tcb

    ),

    recorded as (

        select
            * replace (
                case when cpu_issue is null then tcb_seconds end as tcb_seconds,
                {% for column in [
                    "srb_seconds",
                    "ziip_seconds",
                    "ziip_on_cp_seconds",
                    "region_control_seconds",
                    "io_interrupt_seconds",
                    "hiperspace_seconds",
                ] %}
                    case
                        when not coalesce({{ column }} < 0, false) then {{ column }}
                    end as {{ column }}{{ "," if not loop.last }}
                {% endfor %}
            ),
            case
                when cpu_issue is null
                then
                    tcb_seconds
                    + srb_seconds
                    + region_control_seconds
                    + io_interrupt_seconds
                    + hiperspace_seconds
            end as general_purpose_seconds,
            case when ziip_seconds >= 0 then ziip_seconds * ziip_factor end as ziip_cp_equivalent_seconds
        from checked

    ),

    {% set policy = "origin, sysplex, system_id, service_policy, policy_activated_local" %}
    class_record as (

        select
            record.origin,
            record.sysplex,
            record.system_id,
            record.interval_start_utc,
            cast(record.interval_start_utc as date) as day_utc,
            coalesce(class.service_policy, '') as service_policy,
            coalesce(class.policy_activated_local, timestamp '1900-01-01') as policy_activated_local,
            class.is_report_class,
            class.class_name,
            class.ziip_factor,
            class.source_id,
            class.record_no,
            case
                when class.without_data
                then 'WLM gave no data'
                when period.source_id is null
                then 'its record has no period'
            end as lack
        from class
        inner join record using (source_id, record_no)
        left join (select distinct source_id, record_no from period) as period using (source_id, record_no)

    ),

    present as (

        select
            {{ policy }}, interval_start_utc, day_utc, {{ first_record() }}, max(ziip_factor) as ziip_factor
        from class_record
        group by all

    ),

    last as (

        select source_id, last_record_no as record_no from {{ ref("stg_lake__load") }} where kind = 'smf'

    ),

    copy as (select * from {{ ref("stg_lake__copy") }}),

    -- A dump without the trailer that belongs to its header was cut off: where that is among the records of
    -- classes, others may have followed, unless another dump goes on from there.
    cut_off as (

        select
            coalesce(copy.kept_source_id, last.source_id) as source_id,
            coalesce(copy.kept_record_no, last.record_no) as record_no
        from last
        semi join
            (
                select source_id
                from {{ source("staging", "lake__load_count") }}
                group by source_id
                having
                    coalesce(sum(type_records) filter (where record_type = 2), 0)
                    > coalesce(sum(type_records) filter (where record_type = 3), 0)
            ) using (source_id)
        left join copy using (source_id, record_no)

    ),

    nothing_follows as (

        select source_id, record_no
        from cut_off
        semi join last using (source_id, record_no)
        anti join
            (
                select copy.kept_source_id as source_id, copy.kept_record_no as record_no
                from copy
                inner join last using (source_id)
                where copy.record_no < last.record_no
            ) using (source_id, record_no)

    ),

    lacking as (

        select * exclude (lack), lack as cpu_issue
        from class_record
        where lack is not null

        union all by name

        -- RMF writes a record for every service class of the policy in every interval. So the classes of an
        -- interval are those that the system had under this policy at any time of the day.
        select present.*, false as is_report_class, expected.class_name, 'no usable record' as cpu_issue
        from present
        inner join
            (
                select distinct {{ policy }}, day_utc, class_name from class_record where not is_report_class
            ) as expected using ({{ policy }}, day_utc)
        anti join
            (select * from class_record where not is_report_class) as own using (
                {{ policy }}, interval_start_utc, class_name
            )

        union all by name

        select
            last.* exclude (lack) replace (false as is_report_class, 'not in the dump' as class_name),
            'the dump ends among the records of classes' as cpu_issue
        from class_record as last
        inner join nothing_follows using (source_id, record_no)

    )

select *, false as is_missing
from recorded

union all by name

-- What is lacking gets a row of NULLs, so that a sum over classes becomes unknown too.
select
    source_id,
    record_no,
    100000 + row_number() over (
        partition by source_id, record_no order by is_report_class, class_name
    ) as section_no,
    class_name,
    nullif(service_policy, '') as service_policy,
    ziip_factor,
    1 as period,
    is_report_class,
    true as is_missing,
    cpu_issue
from lacking
