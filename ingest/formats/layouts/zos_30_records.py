"""Where the sections of SMF 30 are; all subtypes from 2 to 6 have the same ones.

2 interval, 3 end of the last interval, 4 step end, 5 job end, 6 interval of a system address space.
Between some pointers are counts of sections in continuation records; a continuation record has the
same subtype and its own pointers. Source: IBM z/OS 3.1 Data Gatherer, SMF record type 30. That the
length in the accounting pointer is that of all accounting fields is from a parser that was verified
with records of z/OS 2.5.
"""

from __future__ import annotations

from ingest.formats.binary.record import Located, RecordLayout
from ingest.formats.layouts.zos_30_counters import (
    SMF30_CONTAINER,
    SMF30_COUNTER_DATA,
    SMF30_CRYPTO_COUNTERS,
    SMF30_NNPI_COUNTERS,
)
from ingest.formats.layouts.zos_30_header import SMF30_HEADER, SMF30_IDENTIFICATION, SMF30_SUBSYSTEM
from ingest.formats.layouts.zos_30_io import SMF30_EXCP, SMF30_IO_ACTIVITY, SMF30_ZEDC_USAGE
from ingest.formats.layouts.zos_30_performance import SMF30_OPERATOR, SMF30_PERFORMANCE
from ingest.formats.layouts.zos_30_processor import SMF30_COMPLETION, SMF30_PROCESSOR_ACCOUNTING
from ingest.formats.layouts.zos_30_storage import SMF30_STORAGE
from ingest.formats.layouts.zos_30_work import (
    SMF30_ACCOUNTING,
    SMF30_ACCOUNTING_FIELD,
    SMF30_APPC_CUMULATIVE_RESOURCE,
    SMF30_APPC_RESOURCE,
    SMF30_AUTOMATIC_RESTART,
    SMF30_MULTISYSTEM_ENCLAVE_REMOTE,
    SMF30_UNIX_PROCESS,
    SMF30_USAGE_DATA,
)

__all__ = ["SMF30_RECORDS"]

_POINTERS = (
    *range(24, 97, 8),  # subsystem to EXCP
    112,  # SMF30DRO, APPC
    120,  # SMF30ARO, APPC in all
    128,  # SMF30OPO, UNIX processes
    140,  # SMF30UDO, usage data
    152,  # SMF30RMO, automatic restart
    164,  # SMF30MOF, enclaves on remote systems
    176,  # SMF30CDO, instruction counts
    184,  # SMF30USO, zEDC
    192,  # SMF30CPO, crypto counters
    204,  # SMF30NPO, NNPI counters
    220,  # SMF30CNO, container
)

_SECTIONS = (
    Located(SMF30_SUBSYSTEM, 0),
    Located(SMF30_IDENTIFICATION, 1),
    Located(SMF30_IO_ACTIVITY, 2),
    Located(SMF30_COMPLETION, 3),
    Located(SMF30_PROCESSOR_ACCOUNTING, 4),
    Located(SMF30_ACCOUNTING, 5, text=SMF30_ACCOUNTING_FIELD),
    Located(SMF30_STORAGE, 6),
    Located(SMF30_PERFORMANCE, 7),
    Located(SMF30_OPERATOR, 8),
    Located(SMF30_EXCP, 9),
    Located(SMF30_APPC_RESOURCE, 10),
    Located(SMF30_APPC_CUMULATIVE_RESOURCE, 11),
    Located(SMF30_UNIX_PROCESS, 12),
    Located(SMF30_USAGE_DATA, 13),
    Located(SMF30_AUTOMATIC_RESTART, 14),
    Located(SMF30_MULTISYSTEM_ENCLAVE_REMOTE, 15),
    Located(SMF30_COUNTER_DATA, 16),
    Located(SMF30_ZEDC_USAGE, 17),
    Located(SMF30_CRYPTO_COUNTERS, 18),
    Located(SMF30_NNPI_COUNTERS, 19),
    Located(SMF30_CONTAINER, 20),
)

_TITLES = {
    2: "Work: an interval",
    3: "Work: the last interval of a step",
    4: "Work: the end of a step",
    5: "Work: the end of a job",
    6: "Work: a system address space",
}
SMF30_RECORDS = tuple(
    RecordLayout(30, subtype, SMF30_HEADER, _POINTERS, _SECTIONS, title=title)
    for subtype, title in _TITLES.items()
)
