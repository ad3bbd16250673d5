"""The plain names of the fields of records about capacity, view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["VIEWS"]

# fmt: off
VIEWS = (
    View("zos_capacity__logical_processor", "smf70_1_prsm_logical_processor", "One row per logical processor of any partition in an SMF 70 subtype 1 record: capping, and whether it waits dispatched.", (
        "source_id", "record_no", "section_no",
        ("smf70wsa", "wait_completion"),
        ("smf70nsw", "soft_capped_samples"),
        ("smf70acs", "weight_total"),
    )),
    View("zos_capacity__queue", "smf70_1_asid_data", "One row per SMF 70 subtype 1 record: how many work units there were above processors.", (
        "source_id", "record_no", "section_no",
        ("[ smf70u00, smf70u01, smf70u02, smf70u03, smf70u04, smf70u05, smf70u06, smf70u07, smf70u08, smf70u09, smf70u10, smf70u11, smf70u12, smf70u13, smf70u14, smf70u15 ]", "samples_by_excess", "Samples by the number of work units above that of processors: up to as many, 1, 2, 3, 4-5, 6-10, 11-15, 16-20, 21-30, 31-40, 41-60, 61-80, 81-100, 101-120, 121-150 and 151 or more. Unit: samples. Source: SMF70U00 to SMF70U15."),
    )),
)
