"""The plain names of the fields of records about devices and coupling facilities, view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["VIEWS"]

# fmt: off
VIEWS = (
    View("zos_devices__cf_cache", "smf74_4_cache", "One row per cache section in an SMF 74 subtype 4 record.", (
        "source_id", "record_no", "section_no",
        ("r744cdec", "directory_entries"),
        ("r744cdac", "data_elements"),
        ("r744crhc", "read_hits"),
        ("r744crmd", "read_misses_directory"),
        ("r744crma", "read_misses_unassigned"),
        ("r744crmn", "read_misses_assigned"),
        ("r744crmt", "read_misses_full"),
        ("r744cder", "directory_reclaims"),
        ("r744cdtr", "data_reclaims"),
        ("r744ccoc", "castouts"),
    )),
    View("zos_devices__cf_processor", "smf74_4_processor_utilization", "One row per processor of the coupling facility in an SMF 74 subtype 4 record.", (
        "source_id", "record_no", "section_no",
        ("r744pnum", "processor_no"),
        ("r744pbsy", "busy_seconds"),
        ("r744pwai", "wait_seconds"),
    )),
    View("zos_devices__cf_storage", "smf74_4_storage", "One row per SMF 74 subtype 4 record with the coupling facility's storage.", (
        "source_id", "record_no", "section_no",
        ("r744gtsd / 256.0", "storage_mb", "Storage of the coupling facility; recorded only by the system that gathers data for the sysplex. Unit: MB."),
        ("r744gtsf / 256.0", "free_mb", "Storage of the coupling facility that is free. Unit: MB."),
        ("r744gdsa / 256.0", "dump_space_mb", "Dump space of the coupling facility. Unit: MB."),
        ("r744gtsc / 256.0", "storage_class_memory_mb", "Storage class memory that structures can use. Unit: MB."),
        ("r744gfsc / 256.0", "storage_class_memory_free_mb", "Storage class memory that is free. Unit: MB."),
    )),
    View("zos_devices__cf_structure", "smf74_4_structure", "One row per structure of the coupling facility in an SMF 74 subtype 4 record.", (
        "source_id", "record_no", "section_no",
        ("r744qstr", "structure_name"),
        ("hex(r744qver)", "structure_version", "Version of the structure, which distinguishes its instances during a rebuild. Unit: hexadecimal digits. Source: R744SVER or R744QVER."),
        ("r744qsiz / 256.0", "policy_mb", "Size of the structure in the policy; recorded only by the system that gathers data for the sysplex. Unit: MB."),
        ("r744qact", "active"),
        ("r744qrbn", "rebuild_new"),
        ("r744qrbo", "rebuild_old"),
        ("r744qrbd", "duplexed"),
    )),
    View("zos_devices__coupling_facility", "smf74_4_cf_local", "One row per SMF 74 subtype 4 record: the coupling facility as seen by the system.", (
        "source_id", "record_no", "section_no",
        ("r744fnam", "coupling_facility"),
        ("nullif(trim(r744fmod), '')", "cf_machine_type", "Type of the coupling facility's machine. Unit: none."),
        ("nullif(trim(r744fver), '')", "cf_machine_model", "Model of the coupling facility's machine. Unit: none."),
        ("r744flvl", "cf_level"),
        ("r744fcei", "connected"),
        ("coalesce(r744fnohw, false)", "no_hardware_statistics", "Whether RMF left out the statistics of the hardware. Unit: boolean."),
        ("case when r744flvl > 14 then r744fdyd end", "dynamic_dispatching", "Whether the coupling facility dispatches dynamically; only above level 14. Unit: boolean. Source: R744FDYD."),
        ("case when r744flvl > 18 then r744fthn end", "thin_interrupts", "Whether the coupling facility uses thin interrupts; only above level 18. Unit: boolean. Source: R744FTHN."),
        ("case when r744flvl > 14 then r744fpsn end", "shared_processors", "Shared processors of the coupling facility; only above level 14. Unit: processors. Source: R744FPSN."),
        ("case when r744flvl > 14 then r744fpdn end", "dedicated_processors", "Dedicated processors of the coupling facility; only above level 14. Unit: processors. Source: R744FPDN."),
        ("r744fpam", "paths"),
        ("r744fpbc", "path_busy"),
        ("r744fscg", "subchannels_defined"),
        ("r744fscl", "subchannels_usable"),
        ("r744fscc", "subchannels_busy"),
        ("r744fctm", "subchannel_wait_seconds"),
        ("r744ftor", "requests"),
        ("r744fail", "failed_requests"),
        ("r744ftim", "failed_seconds"),
    )),
    View("zos_devices__data_set_access", "smf42_6_data_access_method_statistics", "One row per data set in an SMF 42 subtype 6 record: what its access method did.", (
        "source_id", "record_no", "section_no",
        ("parent_no", "data_set_no", "Section of the data set that the figures belong to. Unit: none. Source: the loader."),
        ("s42amsrb + s42amdrb", "blocks_read", "Blocks read, sequentially and directly. Unit: blocks."),
        ("s42amswb + s42amdwb", "blocks_written", "Blocks written, sequentially and directly. Unit: blocks."),
        ("epoch(s42amsrr) + epoch(s42amdrr)", "read_delay_seconds", "Time that reads waited in the access method. Unit: seconds."),
        ("epoch(s42amswr) + epoch(s42amdwr)", "write_delay_seconds", "Time that writes waited in the access method. Unit: seconds."),
        ("s42amrib", "bytes_read"),
        ("s42amwib", "bytes_written"),
    )),
    View("zos_devices__device_class", "smf74_1_device_control", "One row per SMF 74 subtype 1 record: the class of its devices.", (
        "source_id", "record_no", "section_no",
        ("right(hex(smf74sub), 2)", "device_class", "Class of the devices of the record, two hexadecimal digits: 20 is direct access. Unit: none."),
        ("smf74fcm", "command_response_valid"),
    )),
    View("zos_devices__processor_place", "smf70_1_prsm_logical_processor", "One row per logical processor of any partition in an SMF 70 subtype 1 record: its location in the machine.", (
        "source_id", "record_no", "section_no",
        ("smf70vpa", "cpu_id"),
        ("smf70cix", "kind_no"),
        ("smf70ont", "online_seconds"),
        ("smf70maxnl", "nesting_levels"),
        ("[ smf70cordl1, smf70cordl2, smf70cordl3, smf70cordl4, smf70cordl5, smf70cordl6 ]", "place", "Preferred location of the logical processor at each level, from the first. Unit: none. Source: SMF70CORDL1 to SMF70CORDL6."),
    )),
)
