"""Write RMF's Postprocessor reports, either printed or as XML."""

from __future__ import annotations

from collections.abc import Callable

from models_sim.simulator.outputs.rmf import coupling as rmf_coupling
from models_sim.simulator.outputs.rmf import cpu as rmf_cpu
from models_sim.simulator.outputs.rmf import devices as rmf_devices
from models_sim.simulator.outputs.rmf import workload as rmf_workload
from models_sim.simulator.outputs.rmf import xml as rmf_xml
from models_sim.simulator.outputs.text import Tables

__all__ = ["WRITERS", "write_text"]

_REPORTS: tuple[Callable[[Tables], list[str]], ...] = (
    rmf_cpu.write_cpu,
    rmf_cpu.write_partitions,
    rmf_workload.write_workload,
    rmf_coupling.write_coupling,
    rmf_devices.write_dasd,
    rmf_devices.write_crypto,
)


def write_text(tables: Tables) -> bytes:
    """Return the printed reports of all rmf_ tables except rmf_xml_value, which has none."""
    printed = [line for report in _REPORTS for line in report(tables)]
    return ("\n".join(printed) + "\n").encode()


WRITERS = {"rmf_text": write_text, "rmf_xml": rmf_xml.write_xml}
