"""What the audit knows of each mart beyond the names and types of its columns."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MARTS", "Mart"]


@dataclass(frozen=True, slots=True)
class Mart:
    """One mart.

    key: columns that name a row in a message. signed: columns that may be negative and exceed the
    bounds of a share. printed: the figures were printed in a document, so all of them may.
    compared: two columns with the same figure from two sources; `agrees` is false where they
    differ.
    """

    key: tuple[str, ...]
    signed: tuple[str, ...] = ()
    printed: bool = False
    compared: tuple[str, str] | None = None

    @property
    def is_unique_by_data(self) -> bool:
        """Whether two records with the same system and interval give two rows with one key."""
        return "interval_start_utc" in self.key


_RECORD = ("source_id", "record_no")
_SECTION = (*_RECORD, "section_no")

# --- loads and findings --------------------------------------------------------------------

_LAKE = {
    "dim_load": Mart(("source_id", "record_type", "record_subtype")),
    "fct_data_issue": Mart((*_RECORD, "kind", "subject", "run_id", "found")),
    "fct_pipeline_day": Mart(("day_utc", "step")),
    "fct_pipeline_step": Mart(("step_id",)),
}

# --- MQ ------------------------------------------------------------------------------------

_MANAGER = ("origin", "system_id", "queue_manager")
_MANAGER_INTERVAL = (*_MANAGER, "interval_start_utc")

_MQ = {
    "fct_queue_manager_interval": Mart(_MANAGER_INTERVAL),
    "fct_log_write_interval": Mart((*_MANAGER_INTERVAL, "log_copy", "write_type")),
    "fct_buffer_pool_interval": Mart((*_MANAGER_INTERVAL, "buffer_pool")),
    "fct_page_set_interval": Mart((*_MANAGER_INTERVAL, "page_set")),
    "fct_cf_structure_interval": Mart((*_MANAGER_INTERVAL, "structure_name")),
    "fct_smds_interval": Mart((*_MANAGER_INTERVAL, "structure_name")),
    "fct_db2_request_interval": Mart((*_MANAGER_INTERVAL, "request_type")),
    "fct_queue_interval": Mart((*_MANAGER_INTERVAL, "queue_name", "cf_structure_name")),
    "fct_channel_initiator_interval": Mart(_MANAGER_INTERVAL),
    "fct_channel_initiator_task_interval": Mart((*_MANAGER_INTERVAL, "task_type", "task_index")),
    "fct_channel_initiator_task_type_interval": Mart(
        (*_MANAGER_INTERVAL, "task_type"),
        signed=("cpu_percent",),  # of one CPU, and the tasks may run on several
    ),
    "fct_task_accounting": Mart(_RECORD),
    "fct_queue_accounting": Mart(_SECTION),
    "fct_task_message_manager": Mart(_SECTION),
    "fct_channel_interval": Mart(_SECTION),
    "fct_protected_access_hour": Mart(
        (
            *("origin", "sysplex", "system_id", "queue_manager", "hour_local", "job_name"),
            *("user_id", "queue_name", "action", "result", "decision", "protection", "signature"),
            *("encryption", "mq_reason_code"),
        )
    ),
    "fct_application_cost": Mart(
        (*_MANAGER, "application_type", "connection_name", "channel_name")
    ),
}

# --- published documents -------------------------------------------------------------------

_PUBLISHED = {
    "dim_published_document": Mart(("document_id",), printed=True),
    "dim_published_configuration": Mart(("configuration_id",), printed=True),
    "dim_published_anomaly": Mart(("anomaly_id",), printed=True),
    "dim_published_table": Mart(("document_id", "table_id"), printed=True),
    "fct_published_measurement": Mart(("cell_id",), printed=True),
    "fct_published_claim": Mart(("claim_id",), printed=True),
    "fct_published_comparison": Mart(("comparison_id",), printed=True),
}

# --- processors, workload activity and address spaces ----------------------------------------

_INTERVAL = ("origin", "sysplex", "system_id", "interval_start_utc")
# CPU time minus zIIP time can be a rounding error below zero; a share of one processor can
# exceed 100 %.
_CLASS = (
    *("tcb_seconds", "general_purpose_seconds"),
    *("appl_percent", "ziip_appl_percent", "ziip_on_cp_appl_percent"),
)

_PROCESSORS = {
    "fct_processor_interval": Mart((*_INTERVAL, "processor_type")),
    "fct_mq_rmf_interval": Mart(
        (*_INTERVAL, "queue_manager", "mq_interval_start_utc", "mq_interval_end_utc")
    ),
    "fct_lpar_interval": Mart((*_INTERVAL, "partition_name", "partition_number", "processor_type")),
    "fct_address_space_interval": Mart(_RECORD, signed=("cpu_percent", "highest_task_percent")),
    "fct_service_class_period_interval": Mart((*_INTERVAL, "class_name", "period"), signed=_CLASS),
    "fct_report_class_interval": Mart((*_INTERVAL, "class_name"), signed=_CLASS),
    "fct_ziip_interval": Mart(_INTERVAL, signed=("general_purpose_seconds",)),
    "fct_sysplex_cpu_interval": Mart(
        ("origin", "sysplex", "interval_start_utc"),
        signed=("above_idle_cp_seconds", "above_idle_ziip_seconds"),
    ),
    "fct_cpu_reconciliation": Mart(
        (*_INTERVAL, "processor_type"),
        signed=(
            *("uncaptured_seconds", "class_seconds", "class_less_address_space_seconds"),
            "partition_management_seconds",
        ),
    ),
}

_CAPACITY = {
    "fct_lpar_capacity_interval": Mart(
        ("origin", "sysplex", "system_id", "interval_start_utc"),
        # An average can exceed a limit that was lowered; a capped group has less than nothing left.
        signed=("average_use_percent", "group_unused_msu"),
    ),
    "fct_lpar_capacity_day": Mart(("origin", "sysplex", "system_id", "local_date")),
    "fct_usage_hour": Mart(
        ("origin", "hour_utc", "subject", "sysplex", "system_id", "queue_manager", "name")
    ),
}

# --- coupling facilities, devices, cryptography and counters -----------------------------------

_COUNTED = ("origin", "system_id", "interval_start_utc", "interval_end_utc")
_STRUCTURE = (*_INTERVAL, "coupling_facility", "structure_name", "structure_version")
_CARD = (*_INTERVAL, "card_kind", "card_number", "scope", "domain")

_DEVICES = {
    "fct_cf_request_interval": Mart((*_STRUCTURE, "request_kind")),
    "fct_cf_delay_interval": Mart(
        (*_STRUCTURE, "delay_reason"),
        signed=("delayed_percent",),  # a request can be delayed for several reasons, and repeatedly
    ),
    "fct_cf_structure_use_interval": Mart(_STRUCTURE),
    "fct_cf_interval": Mart((*_INTERVAL, "coupling_facility")),
    "fct_volume_interval": Mart((*_INTERVAL, "subchannel_set", "device_number")),
    "fct_data_set_interval": Mart(_SECTION),
    "fct_rmf_report_figure": Mart(
        (
            *("origin", "sysplex", "system_id", "interval_start_local", "interval_seconds"),
            *("subject_kind", "subject", "figure"),
        ),
        signed=("difference",),
        compared=("printed", "recorded"),
    ),
    "fct_crypto_operation_interval": Mart((*_CARD, "operation")),
    "fct_crypto_card_interval": Mart(_CARD),
    "fct_hardware_interval": Mart(_COUNTED),
    "fct_hardware_processor_interval": Mart((*_COUNTED, "processor_type")),
}

# --- runs ----------------------------------------------------------------------------------

_RUN = ("origin", "run_id")
_RUN_SYSTEM = (*_RUN, "sysplex", "system_id")
# A build of a campaign, or a section of a document.
_BUILD = ("origin", "campaign", "document_id", "section", "git_revision")
# Uncaptured time is a difference, which rounding can bring below zero; so can the hundredths of a
# second in type 30, in shares of address spaces that used next to nothing.
_COSTS = (
    *("cpu_seconds", "ziip_share_percent", "cost_per_gb", "cost_per_gb_after_offload"),
    *("cost_per_transaction_us", "cost_per_transaction_after_offload_us"),
)
_SECONDS = (
    *("general_purpose_seconds", "ziip_seconds", "ziip_cp_equivalent_seconds"),
    "after_offload_seconds",
)
_VALUES = ("value", "value_low", "value_high")
_NOT_CAPTURED = ("uncaptured_seconds", "system_overhead_seconds")

_RUNS = {
    "dim_configuration": Mart(("configuration_id",)),
    "dim_metric": Mart(("metric",)),
    "fct_run": Mart(_RUN, signed=("ramp_seconds",)),
    "fct_run_total": Mart(_RUN, signed=(*_COSTS, *_SECONDS, *_NOT_CAPTURED)),
    "fct_run_coverage": Mart(_RUN_SYSTEM),
    "fct_run_refused": Mart(_RECORD),
    "fct_run_system": Mart(_RUN_SYSTEM, signed=(*_COSTS, *_SECONDS, *_NOT_CAPTURED)),
    "fct_run_class": Mart((*_RUN_SYSTEM, "class_kind", "class_name"), signed=(*_COSTS, *_SECONDS)),
    "fct_run_report_class": Mart((*_RUN_SYSTEM, "class_name"), signed=(*_COSTS, *_SECONDS)),
    "fct_run_address_space": Mart((*_RUN_SYSTEM, "address_space"), signed=(*_COSTS, *_SECONDS)),
    "fct_measurement": Mart((*_RUN, "metric"), signed=_VALUES),
    "fct_system_measurement": Mart((*_RUN_SYSTEM, "metric"), signed=_VALUES),
    "fct_address_space_measurement": Mart((*_RUN, "metric", "address_space"), signed=_VALUES),
    "fct_run_hardware": Mart(_RUN_SYSTEM),
    "fct_run_resource": Mart((*_RUN_SYSTEM, "resource", "object_name", "part")),
    "fct_run_output": Mart(("source_id",)),
    "fct_run_sample": Mart(("source_id", "record_no", "run_id", "metric")),
    "fct_run_part": Mart((*_RUN, "metric", "split", "part"), signed=("value",)),
    "fct_run_explanation": Mart(
        (
            *("origin", "configuration_id", "first_start_utc", "campaign", "git_revision"),
            *("metric", "split", "part"),
        ),
        signed=(
            *("value_before", "value_after", "difference", "difference_percent_of_whole"),
            *("whole_before", "whole_after", "whole_difference"),
        ),
    ),
    "fct_run_against_published": Mart(
        (*_RUN, "metric", "address_space", "cell_id"),
        signed=("value", "published_value", "difference", "difference_percent_of_published"),
    ),
    "fct_run_against_model": Mart(
        (*_RUN, "metric"),
        signed=("value", "predicted", "low", "high", "difference_percent_of_predicted"),
    ),
    "fct_machine_comparison": Mart(
        ("origin", "factors_id", "mq_level", "machine_before", "machine_after", "metric"),
        signed=(
            *("value_before", "value_after", "change_percent_of_before"),
            *("improvement_percent_of_before", "expected_improvement_percent_of_before"),
            "difference_from_expected_points",
        ),
    ),
    "fct_figure": Mart((*_BUILD, "metric", "address_space", "record_no"), signed=("value",)),
    "fct_by_file_size": Mart((*_BUILD, "configuration", "metric")),
    "fct_per_file_overhead": Mart(
        (*_BUILD, "configuration", "metric"),
        signed=("ms_per_file", "ms_per_mb", "r2", "scatter_percent"),
    ),
    "fct_by_factor": Mart((*_BUILD, "factor", "others_id", "metric")),
    "fct_cost_by_address_space": Mart(
        (*_BUILD, "configuration_id", "configuration", "address_space"), signed=_COSTS
    ),
}

MARTS: dict[str, Mart] = _LAKE | _MQ | _PUBLISHED | _PROCESSORS | _CAPACITY | _DEVICES | _RUNS
