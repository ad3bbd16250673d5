"""SMF 30: instruction counts, counters of crypto and AI accelerator, and the container.

Source: IBM z/OS 3.1 Data Gatherer, SMF record type 30.
"""

from __future__ import annotations

from ingest.formats.binary.layout import Field, Layout

__all__ = ["SMF30_CONTAINER", "SMF30_COUNTER_DATA", "SMF30_CRYPTO_COUNTERS", "SMF30_NNPI_COUNTERS"]

_SOURCE = "IBM z/OS 3.1 Data Gatherer, SMF record type 30"

# fmt: off
SMF30_COUNTER_DATA = Layout(
    table="smf30_counter_data",
    title="Instructions",
    source=_SOURCE,
    length=96,
    fields=(
        Field("smf30_instcaptdisruption",        0, 1, "bit",      "counting was disrupted, or counts are missing", bit=0),
        Field("smf30_instcaptlimited",           0, 1, "bit",      "counts of enclaves are incomplete", bit=1),
        Field("smf30_inst_cp_task",              8, 8, "unsigned", "instructions of tasks on CPs", unit="instructions"),
        Field("smf30_inst_cp_nonpreemptsrb",    16, 8, "unsigned", "instructions of non-preemptable SRBs on CPs", unit="instructions"),
        Field("smf30_inst_cp_preemptsrb",       24, 8, "unsigned", "instructions of preemptable and client SRBs on CPs", unit="instructions"),
        Field("smf30_inst_offload",             32, 8, "unsigned", "instructions on offload engines (zIIP)", unit="instructions"),
        Field("smf30_inst_offloadoncp",         40, 8, "unsigned", "offload-eligible instructions on CPs", unit="instructions"),
        Field("smf30_inst_cp_enclave",          48, 8, "unsigned", "instructions of independent enclaves on CPs", unit="instructions"),
        Field("smf30_inst_offload_enclave",     56, 8, "unsigned", "instructions of independent enclaves on offload engines", unit="instructions"),
        Field("smf30_inst_offloadoncp_enclave", 64, 8, "unsigned", "offload-eligible instructions of independent enclaves on CPs", unit="instructions"),
        Field("smf30_inst_cp_depenc",           72, 8, "unsigned", "instructions of dependent enclaves on CPs", unit="instructions"),
        Field("smf30_inst_offload_depenc",      80, 8, "unsigned", "instructions of dependent enclaves on offload engines", unit="instructions"),
        Field("smf30_inst_offloadoncp_depenc",  88, 8, "unsigned", "offload-eligible instructions of dependent enclaves on CPs", unit="instructions"),
    ),
)

SMF30_CRYPTO_COUNTERS = Layout(
    table="smf30_crypto_counters",
    title="Crypto counter",
    source=_SOURCE,
    length=10,
    fields=(
        Field("smf30_crypctrs_entry_id", 0, 2, "unsigned", "id of the counter, as in IFASMFCN"),
        Field("smf30_crypctrs_count",    2, 8, "unsigned", "instructions counted", unit="instructions"),
    ),
)

SMF30_NNPI_COUNTERS = Layout(
    table="smf30_nnpi_counters",
    title="AI accelerator counter",
    source=_SOURCE,
    length=10,
    fields=(
        Field("smf30_nnpictrs_entry_id", 0, 2, "unsigned", "id of the counter, as in IFASMFCN"),
        Field("smf30_nnpictrs_count",    2, 8, "unsigned", "instructions counted", unit="instructions"),
    ),
)

SMF30_CONTAINER = Layout(
    table="smf30_container",
    title="Container",
    source=_SOURCE,
    length=160,
    fields=(
        Field("smf30_container_id",    0, 64, "text", "container"),
        Field("smf30_container_qual", 64, 32, "text", "qualifier of the container"),
        Field("smf30_pod_id",         96, 64, "text", "pod"),
    ),
)
# fmt: on
