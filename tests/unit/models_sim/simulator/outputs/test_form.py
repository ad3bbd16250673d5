"""Lines printed by the tools are rewritten unchanged, except blanks between columns."""

import pytest

from ingest.formats.parsers import find_parser
from models_sim.simulator.outputs import write_output
from tests.unit.models_sim.simulator.outputs.test_genuine import FILES

LINES = [
    ("amqsrua_document.txt", "Log - physical bytes written 703823872 35840850/sec"),
    ("amqsrua_queue.txt", "PERF.Q1 lock contention 1.25%"),
    ("cf_lock.txt", "COUPLING FACILITY NAME = X7CFP87"),
    ("cf_lock.txt", "STRUCTURE NAME = DSNDB0A_LOCK1 TYPE = LOCK"),
    ("cph.txt", "id=0,rate=2401.50,threads=2"),
    ("cpu_v2r1_mt.txt", "5 IIP 100.00 0.94 0.94 0.00 7.91 0.07 27.3 HIGH"),
    ("cpu_v2r4_ziip.txt", "3 IIP 100.00 6.85 5.70 0.00 -----"),
    ("cpu_v2r4_ziip.txt", "*PHYSICAL* 00.00.07.843 0.07 0.07"),
    ("crypto.txt", "CEX6C 0 12.50 0.800 1.0 0.25"),
    ("docker_df_negative.txt", "Images 1 1 110.4MB -2.887e+07B (-26%)"),
    ("docker_stats_2015.txt", "CONTAINER CPU % MEM USAGE/LIMIT MEM % NET I/O"),
    ("docker_df.txt", "Images 6 2 62.23GB 30.98GB (49%)"),
    ("free_old.txt", "-/+ buffers/cache: 18M 214M"),
    ("free.txt", "Mem: 23Gi 1.5Gi 20Gi 8.6Mi 1.6Gi 22Gi"),
    ("ioping.txt", "4 requests completed in 1.13 ms, 16 KiB read, 3.54 k iops, 13.8 MiB/s"),
    ("ioping_raw.txt", "4 190710 20974 85910545 40802 47678 51469 4236 5 326953"),
    ("jms_harness.txt", "totalIterations=63960,avgDuration=60.09,totalRate=1064.40"),
    ("mft_single.xml", '<stats bytes="1198" seconds="0.018" currentItem="1" totalItems="1"/>'),
    ("mqsc_chstatus.txt", "BYTSRCVD(13268) BYTSSENT(3472472)"),
    ("mqsc_zos_chinit.txt", "CSQX831I !MQ1 CSQXRDQM 8 adapter subtasks started, 8 requested"),
    ("syslog_csm.txt", "IVT5538I FIXED MAXIMUM = 240M FIXED CURRENT = 42537K"),
    ("top.txt", "28286 root 39 19 2881516 259628 134872 R 41.6 1.1 10:11.01 python"),
    ("workload_rcper.txt", "AVG 1.00 ACTUAL 0 TOTAL 66.25 64.20 173.99 AVG ENC 0.00"),
]  # fmt: skip


def lines(content):
    return {" ".join(line.split()) for line in content.decode().splitlines()}


@pytest.mark.parametrize(("name", "line"), LINES)
def test_line_has_the_form_of_the_tool(name, line):
    parsed = find_parser(FILES[name])[0].parse(FILES[name])
    assert line in lines(FILES[name])
    assert line in lines(write_output(parsed.kind, parsed.tables))
