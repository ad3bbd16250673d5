"""Where the sections of each RMF record are: SMF 70-1, 70-2, 72-3, 74-1 and 74-4.

Triplets are counted from 0, the product section's.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Layout
from ingest.formats.binary.record import Located, RecordLayout
from ingest.formats.layouts import rmf_coupling as coupling
from ingest.formats.layouts import rmf_cpu as cpu
from ingest.formats.layouts import rmf_crypto as crypto
from ingest.formats.layouts import rmf_devices as devices
from ingest.formats.layouts import rmf_structures as structures
from ingest.formats.layouts import rmf_workload as workload
from ingest.formats.layouts.rmf_common import header, pointers, product_sections

__all__ = ["RMF_RECORDS"]


def _record(title: str, record_type: int, subtype: int, *layouts: Layout) -> RecordLayout:
    """Return a record whose triplets point to the product section and to these, in order."""
    return RecordLayout(
        record_type,
        subtype,
        header(record_type, subtype),
        pointers(1 + len(layouts)),
        (
            *product_sections(record_type, subtype),
            *(Located(layout, i) for i, layout in enumerate(layouts, start=1)),
        ),
        title=title,
    )


RMF_RECORDS = (
    _record(
        "RMF CPU activity",
        70,
        1,
        cpu.CPU_CONTROL,
        cpu.CPU_DATA,
        cpu.ASID_DATA,
        cpu.PARTITION,
        cpu.LOGICAL_PROCESSOR,
        cpu.CPU_IDENTIFICATION,
        cpu.LOGICAL_CORE,
        cpu.TENANT_GROUP,
    ),
    _record(
        "RMF cryptographic hardware",
        70,
        2,
        crypto.CCA_COPROCESSOR,
        crypto.ACCELERATOR,
        crypto.ICSF_SERVICES,
        crypto.PKCS11_COPROCESSOR,
    ),
    _record(
        "RMF workload activity",
        72,
        3,
        workload.WORKLOAD_CONTROL,
        workload.SERVED_CLASS,
        workload.RESOURCE_GROUP,
        workload.CLASS_PERIOD,
        workload.RESPONSE_TIMES,
        workload.MANAGER_STATE,
        workload.DELAY_NAME,
    ),
    _record("RMF device activity", 74, 1, devices.DEVICE_CONTROL, devices.DEVICE_DATA),
    _record(
        "RMF coupling facility",
        74,
        4,
        coupling.LOCAL,
        coupling.CONNECTIVITY,
        coupling.STORAGE,
        structures.STRUCTURE,
        structures.REQUEST,
        coupling.PROCESSOR,
        structures.CACHE,
        coupling.REMOTE,
        coupling.CHANNEL_PATH,
        structures.STORAGE_CLASS_MEMORY,
        structures.ASYNC_DUPLEXING,
    ),
)
