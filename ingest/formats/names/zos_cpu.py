"""The plain names of the fields of records about processors and workloads, view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["VIEWS"]

# fmt: off
VIEWS = (
    View("zos_cpu__control", "smf70_1_cpu_control", "One row per SMF 70 subtype 1 record, or part of one: the machine and how RMF sampled it.", (
        "source_id", "record_no", "section_no",
        ("smf70cpc_type", "machine_type"),
        ("nullif(smf70mdl, '')", "machine_model", "Capacity model of the machine. Unit: none."),
        ("16e6 / nullif(smf70adj, 0)", "service_units_per_second", "Speed of a logical CP: service units per CPU second. Unit: service units per second. Source: 16,000,000 / SMF70ADJ."),
        ("smf70adc", "capacity_changed"),
        ("smf70ccr", "capacity_change_reason"),
        ("smf70dsa", "partition_samples"),
        ("nullif(smf70csc, '')", "machine_serial", "Serial number of the machine. Unit: none. Source: SMF70CSC, or the last digits of SMF70SER."),
        ("nullif(smf70nrm, 0) / 256e0", "ziip_factor", "Factor that converts seconds on a zIIP to seconds on a CP. Unit: ratio. Source: SMF70NRM, R723NFFS or SMF30SNF / 256."),
        ("case when not coalesce(smf70hif, false) then nullif(smf70cf, 0) / 1024e0 end", "cp_capacity_factor", "Work of a CP per busy second, relative to a CP that runs one thread; NULL if not measured. Unit: ratio. Source: SMF70CF / 1024."),
        ("case when not coalesce(smf70hif, false) then nullif(smf70cfs, 0) / 1024e0 end", "ziip_capacity_factor", "Work of a zIIP per busy second, relative to a zIIP that runs one thread; NULL if not measured. Unit: ratio. Source: SMF70CFS / 1024."),
        ("case when not coalesce(smf70hif, false) then nullif(smf70cfi, 0) / 1024e0 end", "zaap_capacity_factor", "Work of a zAAP per busy second, relative to a zAAP that runs one thread; NULL if not measured. Unit: ratio. Source: SMF70CFI / 1024."),
        ("smf70hha", "hiperdispatch"),
    )),
    View("zos_cpu__core", "smf70_1_logical_core_data", "One row per logical core of the system in an SMF 70 subtype 1 record, if it uses multithreading.", (
        "source_id", "record_no", "section_no",
        ("smf70_core_id", "core_id"),
        ("smf70_cpu_skip", "cpus_before"),
        ("smf70_cpu_num", "cpus"),
        ("case when smf70_lpb_valid then epoch(smf70_lpar_busy) end", "core_busy_seconds", "Time that the core worked for any of its threads; NULL if not measured. Unit: seconds. Source: SMF70_LPAR_Busy."),
    )),
    View("zos_cpu__data_lost", "smf7_header", "One row per SMF 7 record: SMF lost records.", (
        "source_id", "record_no",
        ("smf7sid", "system_id"),
        ("smf7std + smf7stm", "start_local", "When the loss began, in the local time of the system. Unit: timestamp, local."),
        ("smf7dte + smf7tme", "end_local", "When records could be written again, in the local time of the system. Unit: timestamp, local."),
        ("case when not coalesce(smf7nrf, false) then smf7nro end", "records_lost", "Records that were lost; NULL if more than 65,535. Unit: records."),
    )),
    View("zos_cpu__job_container", "smf30_container", "One row per SMF 30 record of an address space in a z/OS container.", (
        "source_id", "record_no",
        ("nullif(smf30_container_id, '')", "container_id", "z/OS container that the address space runs in; NULL if none. Unit: none."),
        ("nullif(smf30_container_qual, '')", "container_qualifier", "Qualifier of the container. Unit: none."),
        ("nullif(smf30_pod_id, '')", "pod_id", "Pod of the container. Unit: none."),
    ), where="section_no = 1"),
    View("zos_cpu__job_header", "smf30_header", "One row per SMF 30 record: what its header says of the work.", (
        "source_id", "record_no",
        ("smf30wid", "work_type"),
    ), where="section_no = 1"),
    View("zos_cpu__job_identification", "smf30_identification", "One row per SMF 30 record: the job and step, and the interval.", (
        "source_id", "record_no",
        ("smf30jbn", "job_name"),
        ("nullif(smf30jnm, '')", "job_id", "JES job number. Unit: none."),
        ("smf30asi", "address_space_id"),
        ("nullif(smf30stm, '')", "step_name", "Step; NULL if there is none. Unit: none."),
        ("smf30stn", "step_number"),
        ("coalesce(nullif(smf30exn, ''), nullif(smf30pgm, ''))", "program", "Program that ran; for a UNIX process, the file. Unit: none."),
        ("nullif(smf30rud, '')", "user_id", "RACF user. Unit: none."),
        ("smf30std + smf30sit", "step_start_local", "When the step began, in the local time of the system. Unit: timestamp, local."),
        ("smf30iss", "interval_start_utc"),
        ("smf30iet", "interval_end_utc"),
    ), where="section_no = 1"),
    View("zos_cpu__job_performance", "smf30_performance", "One row per SMF 30 record with resources: its classes and the zIIP factor.", (
        "source_id", "record_no",
        ("nullif(smf30wlm, '')", "workload", "Workload of the service class. Unit: none."),
        ("nullif(smf30scn, '')", "service_class", "Service class of the address space. Unit: none."),
        ("nullif(smf30rcn, '')", "report_class", "Report class. Unit: none."),
        ("nullif(smf30snf, 0) / 256e0", "ziip_factor", "Factor that converts seconds on a zIIP to seconds on a CP. Unit: ratio. Source: SMF70NRM, R723NFFS or SMF30SNF / 256."),
    ), where="section_no = 1"),
    View("zos_cpu__job_storage", "smf30_storage", "One row per SMF 30 record with resources: its storage.", (
        "source_id", "record_no",
        ("(smf30prv + smf30sys) * 1024", "private_below_bar_bytes", "Highest use of private storage below the bar, from both ends of the region. Unit: bytes."),
        ("smf30hvh", "private_above_bar_bytes"),
        ("case when smf30hvr between 0 and 9007199254740991 then cast(smf30hvr as bigint) end * 4096", "real_above_bar_bytes", "Highest use of real storage for private storage above the bar. Unit: bytes. Source: SMF30HVR * 4096."),
        ("case when not coalesce(smf30sin, false) then smf30pgi end", "page_ins", "Pages read from auxiliary storage. Unit: pages. Source: SMF30PGI."),
    ), where="section_no = 1"),
    View("zos_cpu__job_system", "smf30_subsystem", "One row per SMF 30 record: the sysplex of its system.", (
        "source_id", "record_no",
        ("nullif(smf30syp, '')", "sysplex", "Sysplex of the system. Unit: none."),
    ), where="section_no = 1"),
    View("zos_cpu__processor", "smf70_1_cpu_data", "One row per processor, or thread, of the system in an SMF 70 subtype 1 record.", (
        "source_id", "record_no", "section_no",
        ("smf70cid", "cpu_id"),
        ("smf70typ", "processor_type_code"),
        ("right(hex(smf70ser), 4)", "machine_serial", "Last digits of the serial number of the machine. Unit: none."),
        ("smf70wat", "wait_seconds"),
        ("smf70pat", "parked_seconds"),
        ("smf70slh + smf70tpi", "io_interrupts", "I/O interrupts that the processor took. Unit: interrupts."),
        ("smf70dci", "whole_interval"),
        ("smf70sta", "online_at_end"),
        ("smf70vac", "invalid"),
        ("smf70mti", "thread_offline"),
    )),
    View("zos_cpu__response_time", "smf72_3_response_time_distribution", "One row per set of response time buckets in an SMF 72 subtype 3 record; the first one maps the ends of the buckets.", (
        "source_id", "record_no", "section_no",
        ("r723trdb", "buckets"),
    )),
    View("zos_cpu__work_unit", "smf70_1_asid_data", "One row per SMF 70 subtype 1 record: ready work, by kind of processor.", (
        "source_id", "record_no", "section_no",
        ("smf70srm", "work_unit_samples"),
        ("smf70ctt", "cp_work_units_total", "Work units that used or waited for CPs, summed over samples. Unit: work units."),
        ("smf70cmm", "cp_work_units_most", "Highest number of work units that used or waited for CPs at one time. Unit: work units."),
        ("smf70dtt", "zaap_work_units_total", "Work units that used or waited for zAAPs, summed over samples. Unit: work units."),
        ("smf70dmm", "zaap_work_units_most", "Highest number of work units that used or waited for zAAPs at one time. Unit: work units."),
        ("smf70ett", "ziip_work_units_total", "Work units that used or waited for zIIPs, summed over samples. Unit: work units."),
        ("smf70emm", "ziip_work_units_most", "Highest number of work units that used or waited for zIIPs at one time. Unit: work units."),
    )),
)
