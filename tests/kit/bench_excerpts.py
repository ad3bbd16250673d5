"""Outputs of tools for the tests, and what is genuine in each.

MADE_HERE    printed by the tool itself, on a Linux machine, for these tests GENUINE      lines as
shown by the named page or repository PARTLY       the named part is genuine; the rest follows the
page's schema or format MADE         follows the format of the named source
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "samples/bench"
__all__ = ["EXCERPTS", "FOLDER", "content"]

#: File -> (what is genuine, its source).
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
    "amqsrua_queue.txt": ("MADE", "as a build of IBM's amqsruaa.c with NHA prints it: 48 columns"),
    "amqsrua_queue_49.txt": ("MADE", "as IBM's amqsruaa.c prints it: 48 columns and a blank"),
    "amqsrua_queue_45.txt": ("MADE", "as described: 45 columns, and a blank after PutTime:"),
    "mqsc_chstatus.txt": ("GENUINE", "comment of a Splunk plug-in; checkmk's tests: attributes"),
    "mqsc_qstatus.txt": ("GENUINE", "checkmk's tests, test_ibm_mq_queues.py"),
    "mqsc_zos.txt": ("GENUINE", "a public lab on MQ for z/OS: DISPLAY CHSTATUS over the console"),
    "mqsc_zos_chinit.txt": ("MADE", "IBM MQ, Distributed queuing messages CSQX830I to CSQX849I"),
    "ioping.txt": ("MADE_HERE", "ioping 1.3, -c 5 -s 4k, then -c 3 -D -s 256k"),
    "ioping_quiet.txt": ("MADE_HERE", "ioping 1.3, -q -c 3 -W"),
    "ioping_raw.txt": ("MADE_HERE", "ioping 1.3, -p 4 -c 12 -i 0 -q"),
    "ioping_time.txt": ("MADE_HERE", "ioping 1.3, -I -c 3"),
    "ioping_rw.txt": ("MADE_HERE", "ioping 1.3, -c 3 -G"),
    "ioping_rate.txt": ("GENUINE", "public notes: ioping -RL; a report on a VPS: ioping -RC"),
    "ioping_targets.txt": ("GENUINE", "public notes on RAM disks, and on file systems: requests"),
    "ioping_0_9.txt": ("GENUINE", "public notes on disks of clouds: ioping -c 10, shortened; -RL"),
    "ioping_0_6.txt": ("GENUINE", "ioping's page on Google Code, shortened; notes on a cloud"),
    "ioping.json": ("MADE_HERE", "ioping 1.3, -J -c 4"),
    "top.txt": ("MADE_HERE", "top of procps-ng 4.0, -b -S -n 2 -u root, first processes"),
    "top_document.txt": ("GENUINE", "document 003: top -S -u mqperf -d 5 -n 24 -b, one process"),
    "top_fields.txt": ("GENUINE", "kellyjonbrazil/jc's tests: procps-ng 3.3.10, all fields"),
    "top_all.txt": ("MADE_HERE", "top of procps-ng 4.0, -b -c -w 512, all fields, two processes"),
    "free_old.txt": ("GENUINE", "notes on a Raspberry Pi; jc's tests, procps-ng 3.3.10: free -h"),
    "free.txt": ("MADE_HERE", "free of procps-ng 4.0: plain, -h, -w -m -t, -b -l"),
    "du.txt": ("MADE_HERE", "du of GNU coreutils 9.1: -h, plain, -hc; a line with a blank"),
    "docker_df.txt": ("GENUINE", "public notes on docker system df"),
    "docker_df_old.txt": ("GENUINE", "public notes on docker system df, an older release"),
    "docker_df_v.txt": ("PARTLY", "public notes on docker system df -v: images"),
    "docker_df_negative.txt": ("GENUINE", "moby/moby, issues 30975 and 45395: first lines"),
    "docker_stats_2015.txt": ("GENUINE", "Kubernetes' documents of 2015: docker stats"),
    "docker_stats.txt": ("GENUINE", "report of a public student project: docker stats"),
    "syslog_csm.txt": ("PARTLY", "z/OS 2.1, DISPLAY CSM: pools; document 001: last four amounts"),
    "syslog_csm_owner.txt": ("GENUINE", "z/OS 2.1, IVT5549I: DISPLAY CSM of an owner, shortened"),
    "syslog_channel.txt": ("GENUINE", "document 001, Appendix C, without the columns of its table"),
    "syslog_structure.txt": ("GENUINE", "document 004: a structure that is too small"),
    "syslog_hardcopy.txt": ("MADE", "z/OS MVS, format of the hardcopy log, with those messages"),
    "cph.txt": ("MADE", "as mq-cph's ControlThread.cpp and runcph_agg.py print it"),
    "cph_total.txt": ("GENUINE", "ibm-messaging/mq-cph, issue 3: a requester's last line"),
    "jms_tutorial.txt": ("GENUINE", "ot4i/perf-harness, jmsperfharness_tutorial1.md: requesters"),
    "jms_rolling.txt": ("GENUINE", "ot4i/perf-harness, issue 9: rolling averages"),
    "jms_harness.txt": ("MADE", "as the statistics module of JMSPerfHarness prints it"),
}


def content(name: str) -> bytes:
    """Return the bytes of an excerpt."""
    return (FOLDER / name).read_bytes()
