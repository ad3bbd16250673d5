select
    origin,
    source_id,
    record_no,
    sysplex,
    system_id,
    interval_start_utc,
    interval_end_utc,
    interval_seconds,
    utc_offset_minutes,
    rmf_interval_start_utc,
    record_subtype,

    -- identity
    job_name,
    job_id,
    address_space_id,
    step_name,
    program,
    {{ address_space_role("program") }} as role,
    user_id,
    work_type,
    workload,
    service_class,
    report_class,
    container_id,
    container_qualifier,
    pod_id,

    -- CPU on general-purpose processors
    tcb_seconds,
    srb_seconds,
    initiator_seconds,
    io_interrupt_seconds,
    region_control_seconds,
    hiperspace_seconds,
    preemptable_srb_seconds,
    independent_enclave_seconds,
    dependent_enclave_seconds,
    general_purpose_seconds,
    {{ percent("general_purpose_seconds", "interval_seconds") }} as cpu_percent,
    cpu_issue,
    highest_task_percent,

    -- zIIP
    ziip_seconds,
    ziip_enclave_seconds,
    ziip_factor,
    ziip_cp_equivalent_seconds,
    ziip_on_cp_seconds,
    ziip_cp_equivalent_seconds + ziip_on_cp_seconds as eligible_seconds,
    general_purpose_seconds + ziip_cp_equivalent_seconds as cpu_seconds,
    {{ eligible_percent("space") }} as eligible_percent,
    {{ offloaded_percent("space") }} as offloaded_percent,

    -- I/O
    blocks,
    {{ per_second("blocks", "interval_seconds") }} as blocks_per_second,
    dasd_requests,
    {{ per_second("dasd_requests", "interval_seconds") }} as dasd_requests_per_second,
    dasd_connect_seconds,
    page_ins,

    -- storage
    private_below_bar_bytes,
    private_above_bar_bytes,
    real_above_bar_bytes
from {{ days(ref("int_zos_cpu__address_space")) }} as space
where usable
