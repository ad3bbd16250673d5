"""Excerpts of RMF reports for the tests, and what is genuine in each.

GENUINE  printed figures and words as shown by the named page
LAID_OUT the page's copy has lost its blanks: words and figures are the page's, but the columns are
         aligned again below the page's headings
MADE     made for the tests, below headings that are genuine or from the manual's field list
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "samples/rmf"
__all__ = ["EXCERPTS", "FOLDER", "text"]

#: File -> (what is genuine, its source).
EXCERPTS = {
    "cpu_v2r4_ziip.txt": ("GENUINE", "smf2db documentation, Getting started: RMF's V2R4 form"),
    "cpu_v2r1_mt.txt": ("LAID_OUT", "IBM, z/OS V2R1 RMF Report Analysis, erbb500395"),
    "workload_scper.txt": ("GENUINE", "IBM, z/OS V2R2 RMF Report Analysis, erbb500491: first line"),
    "workload_rcper.txt": ("GENUINE", "C. Paice, One Minute MVS performance - WLM reports, 2021"),
    "workload_rates.txt": ("GENUINE", "IBM, WebSphere for z/OS 8.5.5, rprf_RMFwar: block lines"),
    "workload_more.txt": ("MADE", "labels: mainframe tips and tricks, RMF workload report, 2020"),
    "workload_cics.txt": ("GENUINE", "IBM, CICS TS 5.6, dfht3vl: the class; heading as in SCPER"),
    "cf_usage.txt": ("MADE", "IBM, z/OS 2.4, Coupling Facility Usage Summary section: heading"),
    "cf_lock.txt": ("GENUINE", "IBM, Db2 12, db2z_lockmonitorcfactreport"),
    "dasd.txt": ("MADE", "IBM, z/OS 2.4, Pending time overflow: heading, first words of a line"),
    "crypto.txt": ("MADE", "IBM, z/OS V2R2 RMF User's Guide, erbb200196: field list"),
    "cpu.xml": ("GENUINE", "Zowe Zebra test data: XML of z/OS V2R5, shortened"),
    "cpc.xml": ("GENUINE", "Zowe Zebra test data: Monitor III of z/OS V2R5, shortened"),
    "cpc_error.xml": ("GENUINE", "Zowe Zebra test data: Monitor III, without the times"),
    "empty.xml": ("GENUINE", "Zowe Zebra, an uploaded file: the Postprocessor, no report"),
}


def text(name: str) -> str:
    """Return the text of an excerpt."""
    return (FOLDER / name).read_text()
