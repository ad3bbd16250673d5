"""The plain names of the fields of the published documents and of builds, view by view."""

from __future__ import annotations

from ingest.formats.names.view import View

__all__ = ["VIEWS"]

# fmt: off
VIEWS = (
    View("bench__build", "build", "One row per build and load.", (
        ("build", "build", "Revision of the build, as runs name it or longer. Unit: none. Source: raw.build.build."),
        ("source_id", "source_id", "Source file of the row, identified by the SHA-256 of its content. Unit: none. Source: the loader."),
        ("record_no", "record_no", "Position of the row in its source file, from 1. Unit: none. Source: the loader."),
        ("parent", "parent_build", "Revision that it was made from, if any. Unit: none. Source: raw.build.parent."),
        ("committed_at", "committed_utc", "When it was committed. Unit: timestamp, UTC. Source: raw.build.committed_at."),
    )),
    View("published__anomaly", "published_anomaly", "One row per anomaly and load.", (
        ("anomaly_id", "anomaly_id", "Number of the anomaly. Unit: none. Source: raw.published_anomaly.anomaly_id."),
        ("string_split(documents, ';')", "document_ids", "Identifiers of the documents that the anomaly occurs in. Unit: none. Source: raw.published_anomaly.documents."),
        ("source_id", "source_id", "Source file of the row, identified by the SHA-256 of its content. Unit: none. Source: the loader."),
        ("record_no", "record_no", "Position of the row in its source file, from 1. Unit: none. Source: the loader."),
        ("place", "place", "Where the anomaly is in the document. Unit: none. Source: raw.published_anomaly.place."),
        ("kind", "anomaly_kind", "Nature of the anomaly. Unit: none. Source: raw.published_anomaly.kind."),
        ("finding", "finding", "What is wrong or unusual. Unit: none. Source: raw.published_anomaly.finding."),
        ("treatment", "treatment", "How the anomaly is treated. Unit: none. Source: raw.published_anomaly.treatment."),
        ("affects_value = 'Y'", "affects_value", "Whether the flagged figures themselves are in doubt, not just their name or context. Unit: boolean. Source: raw.published_anomaly.affects_value."),
    )),
    View("published__claim", "published_claim", "One row per claim and load.", (
        ("claim_id", "claim_id", "Number of the claim, unique over all documents. Unit: none. Source: raw.published_claim.claim_id."),
        ("document", "document_id", "Identifier of the document. Unit: none. Source: column document of each raw.published table."),
        ("source_id", "source_id", "Source file of the row, identified by the SHA-256 of its content. Unit: none. Source: the loader."),
        ("record_no", "record_no", "Position of the row in its source file, from 1. Unit: none. Source: the loader."),
        ("cast(string_split(anomalies, ';') as bigint[])", "anomaly_ids", "Anomalies that affect the figure, by number; without any: empty in marts, NULL before. Unit: none. Source: column anomalies of raw.published_cell or raw.published_claim."),
        ("metric", "metric", "What is measured. Unit: none. Source: column metric of raw.published_cell or raw.published_claim."),
        ("comparator", "comparator", "=, ~ (about), <, <=, >, >= or range; NULL if no figure is claimed. Unit: none. Source: raw.published_claim.comparator."),
        ("unit", "unit", "Unit of the figures in the row, as the document uses it: MB is 2^20 bytes, GB 2^30 bytes, Mb 2^20 bits. Unit: none. Source: column unit of raw.published_cell or raw.published_claim."),
        ("conditions", "conditions", "Conditions under which the claim holds. Unit: none. Source: raw.published_claim.conditions."),
        ("source_line", "source_line", "Line of the document's text with the figure. Unit: lines. Source: column source_line of raw.published_cell or raw.published_claim."),
        ("low", "claimed_low", "Claimed figure, or its lower end. Unit: the row's unit. Source: raw.published_claim.low."),
        ("high", "claimed_high", "Claimed figure, or its upper end. Unit: the row's unit. Source: raw.published_claim.high."),
    )),
    View("published__document", "published_document", "One row per document and load.", (
        ("document", "document_id", "Identifier of the document. Unit: none. Source: column document of each raw.published table."),
        ("source_id", "source_id", "Source file of the row, identified by the SHA-256 of its content. Unit: none. Source: the loader."),
        ("record_no", "record_no", "Position of the row in its source file, from 1. Unit: none. Source: the loader."),
        ("title", "title", "Title of the document. Unit: none. Source: raw.published_document.title."),
        ("author", "author", "Author, where one is named. Unit: none. Source: raw.published_document.author."),
        ("publisher", "publisher", "Publisher of the document. Unit: none. Source: raw.published_document.publisher."),
        ("kind", "document_kind", "report or blog. Unit: none. Source: raw.published_document.kind."),
        ("edition", "edition", "Edition or version of the document. Unit: none. Source: raw.published_document.edition."),
        ("product", "product", "Product that the document measures. Unit: none. Source: raw.published_document.product."),
        ("machine", "machine", "Generation of the machine that the document measures. Unit: none. Source: raw.published_document.machine."),
        ("machine_model", "machine_model", "Model of the machine that the document measures. Unit: none. Source: raw.published_document.machine_model."),
        ("other_system", "other_system", "Partner system, or the machine compared with. Unit: none. Source: raw.published_document.other_system."),
        ("year", "publication_year", "Year of publication. Unit: years. Source: raw.published_document.year."),
        ("month", "publication_month", "Month of publication, 1 to 12. Unit: months. Source: raw.published_document.month."),
    )),
)
