"""What the audit knows of the marts of coupling facilities, devices, cryptography and counters."""

from __future__ import annotations

from expectations.mart import Mart, rate

__all__ = ["ZOS_DEVICES_MARTS"]

_RMF = "int_rmf__record"
_INTERVAL = ("origin", "system_id", "interval_start_utc")
_STRUCTURE = (*_INTERVAL, "coupling_facility", "structure_name", "structure_version")
_CARD = (*_INTERVAL, "card_kind", "card_number", "scope", "domain")
_COUNTED = (*_INTERVAL, "interval_end_utc")
_EXECUTION = ("average_execution_us * operations", "1e6 * execution_seconds")
_RESPONSE = " + ".join(
    f"average_{part}_us" for part in ("ios_queue", "pending", "disconnect", "connect")
)
_RATIOS = (
    ("cpi * instructions", "cycles"),
    ("finite_cpi + complexity_cpi", "cpi"),
)

ZOS_DEVICES_MARTS = {
    "fct_cf_request_interval": Mart(
        (*_STRUCTURE, "request_kind"),
        sums=(rate("requests"),),
        feeds=("smf74_4_request",),
        records=_RMF,
    ),
    "fct_cf_delay_interval": Mart(
        (*_STRUCTURE, "delay_reason"),
        signed=("delayed_percent",),  # a request may wait for several things, and more than once
        sums=(("average_delay_us * delayed_requests", "1e6 * delay_seconds"),),
    ),
    "fct_cf_structure_use_interval": Mart(
        _STRUCTURE, sums=(rate("requests"),), feeds=("smf74_4_request",), records=_RMF
    ),
    "fct_cf_interval": Mart(
        (*_INTERVAL, "coupling_facility"),
        sums=(rate("requests"), ("used_mib + free_mib", "storage_mib")),
        feeds=("smf74_4_cf_local",),
        records=_RMF,
    ),
    "fct_volume_interval": Mart(
        (*_INTERVAL, "subchannel_set", "device_number"),
        sums=(
            rate("requests"),
            (_RESPONSE, "average_response_us"),
        ),
    ),
    "fct_data_set_interval": Mart(
        ("source_id", "record_no", "section_no"),
        sums=(rate("ios"), ("reads + writes", "ios")),
        feeds=("smf42_6_data_set_header",),
        records="int_zos_devices__data_set_record",
    ),
    "fct_rmf_report_figure": Mart(
        (
            *("origin", "sysplex", "system_id", "interval_start_local", "interval_seconds"),
            *("subject_kind", "subject", "figure"),
        ),
        optional=("sysplex", "system_id"),
        signed=("difference",),
        sums=(("printed - difference", "recorded"),),
        beside=("printed", "recorded"),
    ),
    "fct_crypto_operation_interval": Mart(
        (*_CARD, "operation"), optional=("domain", "scope"), sums=(rate("operations"), _EXECUTION)
    ),
    "fct_crypto_card_interval": Mart(
        _CARD, optional=("domain", "scope"), sums=(rate("operations"), _EXECUTION)
    ),
    "fct_hardware_interval": Mart(
        _COUNTED,
        sums=_RATIOS,
        parts=(
            "fct_hardware_processor_interval",
            _COUNTED,
            ("cycles", "instructions", "processors", "records"),
        ),
    ),
    "fct_hardware_processor_interval": Mart((*_COUNTED, "processor_type"), sums=_RATIOS),
}
