"""Where the sections of each subtype are: SMF 115, 116 and the AMS record, 180.

Pointers are counted from 0, the product section's. The record of a task that used no queue lacks
the pointer to WQ; releases older than a section lack the pointer to it. Data that the manual
reserves for IBM is kept raw. Source: IBM MQ 10.0 for z/OS, "Interpreting IBM MQ for z/OS
performance statistics", "Self-defining sections", "Interpreting IBM MQ for z/OS accounting data".

What the manual does not say is as in real records. In subtypes 5 to 7 the product section precedes
the other sections and has no QWHS but a word, followed in newer releases by QWHX: the record has
neither a moment in UTC nor an interval. Subtype 240 has a product section and three more pointers,
which are zero; a queue manager writes it once, after its first statistics.
"""

from __future__ import annotations

from dataclasses import replace

from ingest.formats.binary.layout import Layout
from ingest.formats.binary.record import Located, RecordLayout
from ingest.formats.layouts.ams import (
    RECIPIENTS,
    SMF180_DATA,
    SMF180_HEADER,
    SMF180_PARTS,
    SMF180_PRODUCT,
)
from ingest.formats.layouts.mq_accounting import QMAC, QWAC, WTID
from ingest.formats.layouts.mq_accounting_queue import WQ
from ingest.formats.layouts.mq_accounting_task import WTAS
from ingest.formats.layouts.mq_channel_initiator import (
    QCCT,
    QCST,
    QCT_ADP,
    QCT_DNS,
    QCT_DSP,
    QCT_SSL,
)
from ingest.formats.layouts.mq_headers import (
    QWAS,
    QWHC,
    QWHS,
    QWHS_116,
    QWHS_116_CHIN,
    QWHS_CHIN,
    QWHX,
    QWHX_116,
    QWST,
)
from ingest.formats.layouts.mq_statistics_log import QJST
from ingest.formats.layouts.mq_statistics_messages import QIST, QLST, QMST, QTST
from ingest.formats.layouts.mq_statistics_pages import QIS1, QPST
from ingest.formats.layouts.mq_statistics_queues import QQST
from ingest.formats.layouts.mq_statistics_shared import Q5ST, QESD, QEST
from ingest.formats.layouts.mq_statistics_storage import QSGM, QSPH, QSRS, QSST

__all__ = ["AMS_RECORD", "CHAIN_ANY_OTHER", "MQ_RECORDS"]

CHAIN_QWHS = 1
CHAIN_QWHC = 2
# QWHX has type X'10' in real records of subtypes 5 to 7. In others its type is not established, so
# it is taken to be the block that nothing else names.
CHAIN_ANY_OTHER = 0
# What subtypes 5 to 7 have in place of QWHS. A block would begin with its length, which cannot be 1.
_WORD = b"\x00\x01\x01\x80"

_PRODUCT = (Located(QWHS, 0, CHAIN_QWHS), Located(QWHX, 0, CHAIN_ANY_OTHER))
_PRODUCT_CHIN = (Located(QWHS_CHIN, 0, CHAIN_QWHS), Located(QWHX, 0, CHAIN_ANY_OTHER))
_PRODUCT_116 = (
    Located(QWHS_116, 0, CHAIN_QWHS),
    Located(QWHC, 0, CHAIN_QWHC),
    Located(QWHX_116, 0, CHAIN_ANY_OTHER),
)
_PRODUCT_116_CHIN = (
    Located(QWHS_116_CHIN, 0, CHAIN_QWHS),
    Located(QWHX_116, 0, CHAIN_ANY_OTHER),
)


def _pointers(count: int, first: int = 28) -> tuple[int, ...]:
    """Return the offsets of consecutive pointers."""
    return tuple(range(first, first + 8 * count, 8))


def _one_section(subtype: int, layout: Layout) -> RecordLayout:
    """Return a statistics subtype with one kind of section besides the product section."""
    return RecordLayout(115, subtype, QWST, _pointers(2), (*_PRODUCT, Located(layout, 1)))


def _storage(subtype: int, layout: Layout) -> RecordLayout:
    """Return a subtype of the storage manager, whose product section may begin with the word."""
    product = (replace(block, word=_WORD) for block in _PRODUCT)
    sections = (*product, Located(layout, 1))
    return RecordLayout(115, subtype, QWST, _pointers(2), sections, product_first=True)


MQ_RECORDS = (
    RecordLayout(
        115,
        1,
        QWST,
        _pointers(12),
        (*_PRODUCT, Located(QSST, 9), Located(QJST, 11)),
        undocumented=(1, 2, 3, 4, 5, 6, 7, 8, 10),
    ),
    RecordLayout(
        115,
        2,
        QWST,
        _pointers(9),
        (
            *_PRODUCT,
            Located(QMST, 1),
            Located(QIST, 2),
            Located(QPST, 3),  # zero since subtype 215 has the buffer pools
            Located(QLST, 4),
            Located(Q5ST, 5),
            Located(QEST, 6),
            Located(QTST, 7),
            Located(QESD, 8),
        ),
    ),
    _storage(5, QSPH),
    _storage(6, QSGM),
    _storage(7, QSRS),
    _one_section(201, QIS1),
    _one_section(215, QPST),
    _one_section(216, QQST),
    RecordLayout(
        115,
        231,
        QWST,
        _pointers(6),
        (
            *_PRODUCT_CHIN,
            Located(QCCT, 1),
            Located(QCT_DSP, 2),
            Located(QCT_ADP, 3),
            Located(QCT_SSL, 4),
            Located(QCT_DNS, 5),
        ),
    ),
    RecordLayout(
        115,
        240,
        QWST,
        _pointers(4),
        _PRODUCT,
        undocumented=(1, 2, 3),
        title="Product section only",
    ),
    RecordLayout(
        116,
        0,
        QWAS,
        _pointers(7),
        (*_PRODUCT_116, Located(QWAC, 1), Located(QMAC, 2)),
        undocumented=(3, 4, 5, 6),
    ),
    RecordLayout(
        116,
        1,
        QWAS,
        _pointers(4),
        (*_PRODUCT_116, Located(WTID, 1), Located(WTAS, 2), Located(WQ, 3)),
    ),
    RecordLayout(116, 2, QWAS, _pointers(3), (*_PRODUCT_116, Located(WTID, 1), Located(WQ, 2))),
    RecordLayout(116, 10, QWAS, _pointers(2), (*_PRODUCT_116_CHIN, Located(QCST, 1))),
)

# One layout for every subtype, and for the record type that the site chose.
AMS_RECORD = RecordLayout(
    180,
    0,
    SMF180_HEADER,
    _pointers(2, 44),
    (
        Located(SMF180_PRODUCT, 0),
        Located(SMF180_DATA, 1, parts=SMF180_PARTS, entries=RECIPIENTS),
    ),
    pointer="doublet",
)
