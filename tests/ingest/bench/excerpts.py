"""Outputs of tools for the tests, and what is genuine in each.

MADE_HERE    printed by the tool itself, on a Linux machine, for these tests
GENUINE      lines as the named page or repository shows them
PARTLY       the part named is genuine; the rest is made by the page's schema or format
MADE         made by the named source's own format
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "samples"
__all__ = ["EXCERPTS", "FOLDER", "content"]

#: File -> (what is genuine, where it is from).
EXCERPTS = {
    "mft_single.xml": (
        "PARTLY",
        "IBM MQ 9.2, Single transfer log, progress examples: started, status",
    ),
    "mft_failed.xml": ("PARTLY", "IBM MQ 9.4, Return codes for files in a transfer (its status)"),
    "mft_schedule.xml": ("GENUINE", "IBM MQ 9.4, Schedule file transfer log message examples"),
    "mft_log.txt": ("GENUINE", "a public runbook of MFT: its file logger, metadata shortened"),
    "amqsrua_log.txt": ("GENUINE", "C. Paice, Interpretation of the published monitoring data"),
    "amqsrua_document.txt": ("GENUINE", "MQ with zCX (document 001), how ioping compares with MQ"),
    "amqsrua_cpu.txt": (
        "PARTLY",
        "the same page of C. Paice: percentages; menus: IBM's amqsruaa.c",
    ),
    "amqsrua_queue.txt": ("MADE", "as IBM's amqsruaa.c prints it"),
    "mqsc_chstatus.txt": ("GENUINE", "comment of a Splunk plug-in; checkmk's tests: attributes"),
    "mqsc_qstatus.txt": ("GENUINE", "checkmk's tests, test_ibm_mq_queues.py"),
    "mqsc_zos.txt": ("GENUINE", "a public lab on MQ for z/OS: DISPLAY CHSTATUS over the console"),
    "mqsc_zos_chinit.txt": ("MADE", "IBM MQ, Distributed queuing messages CSQX830I to CSQX849I"),
    "cph.txt": ("MADE", "as mq-cph's ControlThread.cpp and runcph_agg.py print it"),
    "jms_harness.txt": ("MADE", "as the statistics module of JMSPerfHarness prints it"),
}


def content(name: str) -> bytes:
    """An excerpt's bytes."""
    return (FOLDER / name).read_bytes()
