with
    source as (select * from {{ source("zos_cpu", "smf72_3_service_report_class_period") }}),

    renamed as (

        select
            source_id,
            record_no,
            section_no,
            r723cper as period,
            r723crtx as response_times_index,
            r723crph as mixed_report_class,
            r723crca as has_resources,
            r723crta as has_response_times,
            r723ceda as has_delays,

            -- goal
            case
                when r723cprc
                then 'percentile'
                when r723cavg
                then 'average'
                when r723cvel
                then 'velocity'
                when r723cdsc
                then 'discretionary'
                when r723cstm
                then 'system'
            end as goal_type,
            case
                when r723cprc or r723cavg
                then
                    cast(r723cval as double) * case
                        when r723cmil
                        then 1e-3
                        when r723csec
                        then 1
                        when r723cmin
                        then 60
                        when r723chou
                        then 3600
                    end
            end as goal_seconds,
            case when r723cvel then cast(r723cval as double) end as goal_velocity,
            case when r723cprc then r723cpct end as goal_percentile,
            nullif(r723cimp, 0) as importance,

            -- service
            cast(r723csrv as double) as service,
            cast(r723ccpu as double) as cpu_service,
            cast(r723csrb as double) as srb_service,
            cast(r723csup as double) as ziip_service,
            cast(r723csuc as double) as ziip_on_cp_service,
            cast(r723cifa as double) as zaap_service,
            r723crct / 1e6 as region_control_seconds,
            r723ciit / 1e6 as io_interrupt_seconds,
            r723chst / 1e6 as hiperspace_seconds,
            (
                coalesce(r723ectc, 0)
                + coalesce(r723tpdp, 0)
                + coalesce(r723cpdp, 0)
                + coalesce(r723lpdp, 0)
                + coalesce(r723spdp, 0)
            )
            * 1024
            / 1e6 as promoted_seconds,

            -- transactions
            r723crcp as transactions,
            r723carc as transactions_abended,
            coalesce(nullif(r723ctetx, 0) / 1e6, r723ctet * 1024 / 1e6) as response_total_seconds,
            coalesce(nullif(r723cxetx, 0) / 1e6, r723cxet * 1024 / 1e6) as execution_total_seconds,
            coalesce(nullif(r723cqdtx, 0) / 1e6, r723cqdt * 1024 / 1e6) as queue_total_seconds,
            {% for name, field in [
                ("affinity", "r723cadt"),
                ("conversion", "r723ccvt"),
                ("ineligible", "r723ciqt"),
            ] %}
                coalesce(nullif({{ field }}x, 0) / 1e6, {{ field }} * 1024 / 1e6) as {{ name }}_total_seconds,
            {% endfor %}
            coalesce(nullif(r723cetsx, 0) / 1e12, r723cets * 1024 / 1e6 * 1024 / 1e6) as response_squares,
            r723ctat * 1024 / 1e6 as active_seconds,
            r723ctrr * 1024 / 1e6 as resident_seconds,
            r723ciea * 1024 / 1e6 as enclave_seconds,
            {{ seconds("r723rtdm") }} as midpoint_seconds,

            -- DASD
            r723circ as dasd_requests,
            r723cict * 128 / 1e6 as dasd_connect_seconds,
            r723cidt * 128 / 1e6 as dasd_disconnect_seconds,
            r723ciwt * 128 / 1e6 as dasd_pending_seconds,
            r723ciot * 128 / 1e6 as dasd_iosq_seconds,

            -- samples
            r723ctou as using_samples,
            r723ctot as delay_samples,
            r723ccus as using_cpu_samples,
            r723supu as using_ziip_samples,
            r723sucu as ziip_work_on_cp_samples,
            r723ciou as using_io_samples,
            r723ccde as delay_cpu_samples,
            r723supd as delay_ziip_samples,
            r723ccca as delay_capping_samples,
            r723ciod as delay_io_samples,
            r723cswi as delay_swap_in_samples,
            r723cmpl as delay_mpl_samples,
            r723capr + r723caco + r723caxm + r723cvio + r723chsp + r723cchs as delay_paging_samples,
            r723cq as delay_queue_samples,
            r723apd as delay_crypto_samples,
            r723rcod as delay_contention_samples,
            r723cunk as unknown_samples,
            r723cidl as idle_samples
        from source

    )

select *
from renamed
