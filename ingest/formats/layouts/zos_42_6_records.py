"""Where the sections of SMF 42 subtype 6 are.

A job header points to its first data set header, each of those to the next one and to its
statistics, whose lengths are in the job header and the data set header. The manual does not say
what these offsets count from: it is assumed to be the start of the record, as the manual says for
the similar chain of volumes in subtype 5. The product section is kept raw. Source: MVS System
Management Facilities (z/OS 3.2), record type 42 subtype 6.
"""

from __future__ import annotations

from ingest.formats.binary.record import Inside, Located, RecordLayout
from ingest.formats.layouts.zos_42_6 import (
    SMF42_6_DATA_ACCESS_METHOD_STATISTICS,
    SMF42_6_DATA_SET_HEADER,
    SMF42_6_DATA_SET_IO_STATISTICS,
    SMF42_6_HEADER,
    SMF42_6_JOB_HEADER,
)
from ingest.formats.layouts.zos_42_6_synchronous import (
    SMF42_6_SYNCHRONOUS_IO_SECTION_2,
    SMF42_6_SYNCHRONOUS_IO_SECTION_3,
    SMF42_6_SYNCHRONOUS_IO_SECTION_4,
    SMF42_6_SYNCHRONOUS_IO_SECTION_5,
)

__all__ = ["SMF42_RECORDS"]

SMF42_RECORDS = (
    RecordLayout(
        42,
        6,
        SMF42_6_HEADER,
        (28, 36),
        (
            Located(SMF42_6_JOB_HEADER, 1),
            Located(
                SMF42_6_DATA_SET_HEADER,
                Inside(SMF42_6_JOB_HEADER, "s42jddso", "s42jddsl", next="s42dsnxt"),
            ),
            Located(
                SMF42_6_DATA_SET_IO_STATISTICS,
                Inside(
                    SMF42_6_DATA_SET_HEADER, "s42dsioo", "s42jdiol", length_in=SMF42_6_JOB_HEADER
                ),
            ),
            Located(
                SMF42_6_DATA_ACCESS_METHOD_STATISTICS,
                Inside(
                    SMF42_6_DATA_SET_HEADER, "s42dsamo", "s42jdaml", length_in=SMF42_6_JOB_HEADER
                ),
            ),
            Located(
                SMF42_6_SYNCHRONOUS_IO_SECTION_2,
                Inside(SMF42_6_DATA_SET_HEADER, "s42dss2o", "s42dss2l"),
            ),
            Located(
                SMF42_6_SYNCHRONOUS_IO_SECTION_3,
                Inside(SMF42_6_DATA_SET_HEADER, "s42dss3o", "s42dss3l"),
            ),
            Located(
                SMF42_6_SYNCHRONOUS_IO_SECTION_4,
                Inside(SMF42_6_DATA_SET_HEADER, "s42dss4o", "s42dss4l", "s42dss4n"),
            ),
            Located(
                SMF42_6_SYNCHRONOUS_IO_SECTION_5,
                Inside(SMF42_6_SYNCHRONOUS_IO_SECTION_4, "s42dss5o", "s42dss5l", "s42dss5n"),
            ),
        ),
        undocumented=(0,),
        title="Data sets: I/O of a job",
    ),
)
