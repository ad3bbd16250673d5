with source as (

    select * from {{ source('rmf_report', 'rmf_workload') }}

),

renamed as (

    select
        -- ids
        source_id,
        record_no,

        -- text
        sysplex,
        workload,
        service_class,
        report_class,

        -- numerics
        period,
        transactions_ended as transactions,
        trans_time_actual_s as response_seconds,
        service_time_tcb_s as tcb_seconds,
        service_time_srb_s as srb_seconds,
        service_time_iip_s as ziip_seconds,
        appl_cp_pct as appl_percent,
        appl_iip_pct as ziip_appl_percent,
        appl_iipcp_pct as ziip_on_cp_appl_percent,
        interval_seconds,

        -- dates
        interval_start_local
    from source

)

select * from renamed
