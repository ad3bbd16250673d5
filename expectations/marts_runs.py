"""What the audit knows of the marts of runs."""

from __future__ import annotations

from expectations.mart import Mart

__all__ = ["RUN_MARTS"]

_RUN = ("origin", "run_id")
# a build of a campaign, or a section of a document
_BUILD = ("origin", "campaign", "document_id", "section", "git_revision")
_OF_EITHER = ("campaign", "document_id", "section", "git_revision")
_ALL_CPU = ("general_purpose_seconds + ziip_cp_equivalent_seconds", "cpu_seconds")
_OFFLOADED = ("after_offload_seconds + eligible_seconds", "cpu_seconds")
# What is not captured is a difference, which rounding may bring below zero; so do hundredths of
# type 30 with shares of address spaces that used next to nothing.
_COSTS = (
    *("cpu_seconds", "ziip_share_percent", "cost_per_gb", "cost_per_gb_after_offload"),
    *("cost_per_transaction_us", "cost_per_transaction_after_offload_us"),
)
_SECONDS = (
    *("general_purpose_seconds", "ziip_seconds", "ziip_cp_equivalent_seconds"),
    "after_offload_seconds",
)
_BEFORE_AND_AFTER = ("value_before", "value_after", "change_percent_of_before")

RUN_MARTS = {
    "dim_configuration": Mart(("configuration_id",)),
    "dim_metric": Mart(("metric",)),
    "fct_run": Mart(_RUN, signed=("ramp_seconds",)),
    "fct_run_refused": Mart(("source_id", "record_no")),
    "fct_run_cpu": Mart(
        (*_RUN, "part_kind", "part", "system_id"),
        optional=("system_id",),
        signed=(*_COSTS, *_SECONDS),
        sums=(_ALL_CPU, _OFFLOADED),
    ),
    "fct_measurement": Mart(
        (*_RUN, "metric", "address_space", "system_id"),
        optional=("address_space", "system_id"),
        signed=("value",),
    ),
    "fct_run_resource": Mart(
        (*_RUN, "system_id", "resource", "object_name", "part"), optional=("object_name",)
    ),
    "fct_run_output": Mart(("source_id",)),
    "fct_run_part": Mart((*_RUN, "metric", "split", "part"), signed=("value",)),
    "fct_run_explanation": Mart(
        (
            *("origin", "configuration_id", "first_start_utc", "campaign", "git_revision"),
            *("metric", "split", "part"),
        ),
        optional=("git_revision",),
        signed=(
            *("value_before", "value_after", "difference", "difference_percent_of_whole"),
            *("whole_before", "whole_after", "whole_difference"),
        ),
        sums=(("value_before + difference", "value_after"),),
    ),
    "fct_run_against_published": Mart(
        (*_RUN, "metric", "address_space", "cell_id"),
        optional=("address_space",),
        signed=("value", "published_value", "difference", "difference_percent_of_published"),
        sums=(("published_value + difference", "value"),),
    ),
    "fct_run_against_model": Mart(
        (*_RUN, "metric"),
        signed=("value", "predicted", "low", "high", "difference_percent_of_predicted"),
    ),
    "fct_machine_comparison": Mart(
        ("origin", "factors_id", "mq_level", "machine_before", "machine_after", "metric"),
        optional=("mq_level",),
        signed=(
            *_BEFORE_AND_AFTER,
            "improvement_percent_of_before",
            "expected_improvement_percent_of_before",
        ),
    ),
    "fct_by_file_size": Mart((*_BUILD, "configuration", "metric"), optional=_OF_EITHER),
    "fct_per_file_overhead": Mart(
        (*_BUILD, "configuration", "metric"),
        optional=_OF_EITHER,
        signed=("ms_per_file", "ms_per_mb", "r2", "scatter_percent"),
    ),
    "fct_by_factor": Mart((*_BUILD, "factor", "others_id", "metric"), optional=_OF_EITHER),
    "fct_cost_by_address_space": Mart(
        (*_BUILD, "configuration_id", "configuration", "address_space"),
        optional=(*_OF_EITHER, "configuration_id"),
        signed=_COSTS,
    ),
}
