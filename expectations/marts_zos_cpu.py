"""What the audit knows of the marts of processors, workload activity and address spaces."""

from __future__ import annotations

from expectations.mart import Mart, rate

__all__ = ["ZOS_CPU_MARTS"]

_INTERVAL = ("origin", "system_id", "interval_start_utc")
_RMF = "int_rmf__record"
_ELIGIBLE = ("eligible_seconds", "ziip_cp_equivalent_seconds + ziip_on_cp_seconds")
_ALL_CPU = ("cpu_seconds", "general_purpose_seconds + ziip_cp_equivalent_seconds")
_KINDS = ("tcb", "srb", "region_control", "io_interrupt", "hiperspace")
_BY_KIND = (" + ".join(f"{kind}_seconds" for kind in _KINDS), "general_purpose_seconds")
_ONLINE = ("processors_online * interval_seconds", "online_seconds")
# CPU time less zIIP time may be a rounding error below zero; shares of one processor pass 100.
_CLASS = (
    *("tcb_seconds", "general_purpose_seconds"),
    *("appl_percent", "ziip_appl_percent", "ziip_on_cp_appl_percent"),
)

ZOS_CPU_MARTS = {
    "fct_processor_interval": Mart(
        (*_INTERVAL, "processor_type"), sums=(_ONLINE,), feeds=("smf70_1_cpu_data",), records=_RMF
    ),
    "fct_lpar_interval": Mart(
        (*_INTERVAL, "partition_name", "partition_number", "processor_type"),
        sums=(_ONLINE,),
        feeds=("smf70_1_prsm_logical_processor",),
        records=_RMF,
    ),
    "fct_address_space_interval": Mart(
        ("source_id", "record_no"),
        signed=("cpu_percent", "highest_task_percent"),
        sums=(_ELIGIBLE, _ALL_CPU, rate("blocks"), rate("dasd_requests")),
    ),
    "fct_service_class_period_interval": Mart(
        (*_INTERVAL, "class_name", "period"),
        signed=_CLASS,
        sums=(_BY_KIND, rate("transactions")),
    ),
    "fct_report_class_interval": Mart(
        (*_INTERVAL, "class_name"),
        signed=_CLASS,
        sums=(_BY_KIND, _ELIGIBLE, _ALL_CPU, rate("transactions")),
    ),
    "fct_ziip_interval": Mart(
        _INTERVAL,
        signed=("general_purpose_seconds",),
        sums=(_ELIGIBLE,),
        parts=(
            "fct_service_class_period_interval",
            _INTERVAL,
            ("ziip_seconds", "ziip_on_cp_seconds", "general_purpose_seconds"),
        ),
    ),
    "fct_sysplex_cpu_interval": Mart(
        ("origin", "sysplex", "interval_start_utc"),
        signed=("above_idle_cp_seconds", "above_idle_ziip_seconds"),
        sums=(
            ("idle_cp_seconds + above_idle_cp_seconds", "cp_seconds"),
            ("idle_ziip_seconds + above_idle_ziip_seconds", "ziip_seconds"),
        ),
    ),
    "fct_cpu_reconciliation": Mart(
        (*_INTERVAL, "processor_type"),
        signed=(
            *("uncaptured_seconds", "class_seconds", "class_less_address_space_seconds"),
            "partition_management_seconds",
        ),
        sums=(
            ("uncaptured_seconds + class_seconds", "processor_seconds"),
            ("class_less_address_space_seconds + address_space_seconds", "class_seconds"),
            ("partition_management_seconds + processor_seconds", "dispatch_seconds"),
        ),
    ),
}
