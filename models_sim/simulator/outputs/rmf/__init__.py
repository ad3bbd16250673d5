"""RMF's printed Postprocessor reports."""

from __future__ import annotations

from models_sim.simulator.outputs.rmf import coupling, cpu, devices, workload
from models_sim.simulator.outputs.rmf.page import Tables

__all__ = ["write_reports"]

_REPORTS = (cpu.write_cpu, cpu.write_partitions, workload.write_workload, coupling.write_coupling,
            devices.write_dasd)  # fmt: skip


def write_reports(tables: Tables) -> bytes:
    """Return the printed reports of rows of the rmf_ tables; absent tables have no report."""
    return ("\n".join(line for report in _REPORTS for line in report(tables)) + "\n").encode()
