"""Make a report: its title page, and its chapters in the order of the preset."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from app.reports import environment
from app.reports.document import Block, Document, Heading, ReportError, Text
from app.reports.numbering import number_blocks
from app.reports.pages import page_section
from app.reports.parts import LATE, PARTS
from app.reports.presets import Preset, Section, Value
from app.reports.questions import question_blocks
from app.reports.report import Report
from app.reports.sections import contrast_blocks
from app.reports.tables import table_of
from app.reports.text import fill_in
from app.results.labels import metric_label, unit_label
from app.results.queries import loads
from app.results.reader import Reader
from app.results.suggest import did_you_mean
from app.results.words import listed
from ingest.base.errors import RequestError

__all__ = ["make_document"]

_AROUND = timedelta(hours=1)  # the time of runs that records of their systems are of


class _Making(Report):
    """The chapters of a report, one after another."""

    def make(self) -> Document:
        """Return the whole report."""
        chapters = [self._chapter(*item) for item in self.preset.chapters]
        blocks: list[Block] = []
        if not self.preset.is_note:
            blocks += [*self._identity(), Heading(2, "Introduction"), *self._introduction()]
        for chapter in chapters:
            for block in chapter:  # a summary knows all answers only now
                blocks += PARTS[block](self, {}) if isinstance(block, str) else [block]
        document = Document(
            self.said(self.preset.heading, plain=True),
            self.said(self.preset.subject, plain=True),
            _text(self.values.get("origin")),
            self.reader.published_at,
            is_note=self.preset.is_note,
            figures=self._csv(),
        )
        document.blocks.extend(number_blocks(blocks, is_note=self.preset.is_note))
        return document

    def _chapter(self, title: str, text: str, sections: Sequence[Section]) -> list[Block | str]:
        result: list[Block | str] = [Heading(2, self.said(title))]
        made = [block for section in sections for block in self._section(section)]
        if text and (made or not sections):
            result.append(Text(self.said(text)))
        return [*result, *made]

    def _section(self, section: Section) -> list[Block | str]:
        declared = section.says
        try:
            if section.kind == "part" and declared["part"] in LATE:
                return [str(declared["part"])]
            made = self._made(section)
        except (KeyError, TypeError, ValueError, AttributeError, RequestError) as error:
            title = f"section {section.title}" if section.title else section.kind
            raise ReportError(f"{self.preset.file}: {title}: {error}") from error
        texts = [
            Text(self.said(str(declared[key]))) for key in ("text", "why") if declared.get(key)
        ]
        if not made and (section.kind != "text" or not texts):
            return []
        heading = [Heading(3, self.said(section.title))] if section.title else []
        return [*heading, *texts[: "text" in declared], *made, *texts["text" in declared :]]

    def _made(self, section: Section) -> list[Block]:
        declared = section.says
        if section.kind == "part":
            if declared["part"] not in PARTS:
                near = did_you_mean(str(declared["part"]), PARTS)
                raise ValueError(f"there is no part {declared['part']!r}{near}")
            return PARTS[declared["part"]](self, declared)
        if section.kind == "contrast":
            self._require_factors(declared)
            sides = {
                side: self.said(declared[side], plain=True)
                for side in ("from", "to")
                if isinstance(declared.get(side), str)
            }
            blocks, answers, used = contrast_blocks(
                {**declared, **sides}, self.figures, self.prints, self.spaces, section.title
            )
            self.answers += [
                (section.title, a) for a in answers if a.factor == declared["contrast"]
            ]
            self.shown |= {figure.configuration for figure in used}
            return blocks
        if section.kind == "page":
            return page_section(self, declared)
        if section.kind != "mart":
            return []
        rows = self.ask(declared)
        blocks = []
        if rows and "says" in declared:
            first = {f"c{n}": value for n, value in enumerate(rows[0])}
            blocks.append(Text(fill_in(str(declared["says"]), self.values | first), is_claim=True))
        caption = self.said(declared.get("caption", ""), plain=True)
        declared = {**declared, "caption": caption}
        if self.values.get("campaign") and not self.values.get("systems"):
            declared.pop("needs", None)  # runs that name no system have no records of one
        return blocks + question_blocks(declared, rows)

    def _require_factors(self, says: Mapping[str, Any]) -> None:
        named = {
            says["contrast"],
            *says.get("where", ()),
            *says.get("axes", ()),
            *says.get("follow", ()),
        }
        columns = self.reader.frame("from marts.dim_configuration limit 0").columns
        names = {*columns, *(name for f in self.figures for name in f.factors)}
        for name in sorted(name for name in named - names if not name.startswith("x_")):
            raise ValueError(f"no factor is named {name!r}{did_you_mean(name, names)}")

    def _identity(self) -> list[Block]:
        """Return the title page below the title."""
        values, now, published = self.values, datetime.now(UTC), self.reader.published_at
        build = loads.build(self.reader)
        versions = {} if build.is_empty() else build.row(0, named=True)
        try:
            code = version("perfhouse")
        except PackageNotFoundError:
            code = "unknown"
        made = [
            ("Authors", listed(values.get("authors") or [""])),
            (
                "Runs",
                f"{values['complete']} of {values['of_configurations']}, {values['days']}"
                if values.get("runs")
                else "",
            ),
            ("Machine", listed(values.get("machines") or [""])),
            ("MQ level", listed(values.get("mq_levels") or [""])),
            (
                "Build under test",
                (values.get("last_build") or "")
                + (
                    f", the latest of {values['builds']}" if (values.get("builds") or 0) > 1 else ""
                ),
            ),
            (
                "Made",
                f"{now:%Y-%m-%d %H:%M} UTC, of the build published {published:%Y-%m-%d %H:%M} UTC",
            ),
            (
                "perfhouse",
                code
                + (f", code {versions['code_version']}" if versions.get("code_version") else ""),
            ),
        ]
        rows = [{"what": label, "says": text} for label, text in made if text]
        table = table_of(rows, {"what": " ", "says": "  "}, "")
        return [table] if table else []

    def _introduction(self) -> list[Block]:
        """Return what is asked, of what work, and what the team says of it."""
        return [
            Text(self.said(self.preset.asks)),
            *environment.workload(self, {}),
            *environment.team_text(self, "introduction"),
        ]

    def _csv(self) -> str:
        """Return every figure of the campaign as CSV, '' if the report is not about one."""
        if not self.values.get("campaign") or not self.shown:
            return ""
        target = io.StringIO()
        out = csv.writer(target, lineterminator="\n")
        out.writerow(["configuration", "metric", "label", "unit", "runs", "value", "printed"])
        for f in self.figures:
            printed_figure = self.prints.get((f.configuration, f.metric))
            out.writerow(
                [
                    f.configuration,
                    f.metric,
                    metric_label(f.metric),
                    unit_label(f.unit),
                    len(f.values),
                    f"{f.value:.6g}",
                    printed_figure.value if printed_figure else "",
                ]
            )
        return target.getvalue()


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def make_document(reader: Reader, preset: Preset, options: Mapping[str, Value]) -> Document:
    """Return the report of a preset with these options. Raises ReportError."""
    return _Making(reader, preset, options).make()
