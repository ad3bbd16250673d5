"""Fill in a preset: run its Jinja template, and collect the blocks of the report.

Templates may be a team's, so they run in Jinja's sandbox and see plain values only: rows are
dictionaries, and the functions below are all that they can call. Values are escaped for Markdown
when they are printed, and the Markdown is rendered without HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jinja2
import polars as pl
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from app.reports import choosing, facts, labelled, paths, sentences, tables
from app.reports.cells import shown
from app.reports.document import (
    Block,
    Chart,
    Document,
    PageBreak,
    ReportError,
    Text,
)
from app.reports.labelled import (
    alike,
    along,
    beside,
    by_metric,
    called,
    comparable,
    named,
    size,
    sizes_of,
    suiting,
    with_labels,
)
from app.reports.numbering import numbered, reference
from app.reports.presets import Preset, Value, asked
from app.reports.text import MARK, printed, split
from app.results.labels import (
    bytes_label,
    configuration_label,
    metric_label,
    small,
    unit_label,
)
from app.results.metrics import suited
from app.results.reader import Reader
from ingest.base.extras import is_installed

__all__ = ["filled"]

_TEMPLATE = "report.md.j2"
_SHOWN = {"changes": {"value": "change", "unit": "%"}}  # what charts show, if they know it
_LINES = {"by_size", "over_runs", "over_time", "at_moments"}  # charts with a line per name
_NAMED = {"over_time": "series", "at_moments": "series"}  # columns of names, if not "name"
_MOST_LINES = 5  # that a reader tells apart
_MOST_POINTS = 8  # names in a chart most of which are points
_SOME = 12  # rows of a table by size: with more, two sections would not share a page
_MANY, _MANY_COLUMNS = 20, 8  # rows and columns of a table: more are in small print
_MOST_SIZES, _MOST_MEASURED = 12, 10  # columns of a table of several metrics
_CERTAIN = {"better", "worse", "changed"}
_MOST_OF_TOPIC = 4  # conclusions
_MAIN_METRICS, _MAIN_SENTENCES = 2, 3  # what a section says more of than one sentence
_NONE_COMPARED = "No two configurations of these runs can be compared."
_NO_TOPIC = "Summary"
_NONE_CERTAIN = "The runs decide no difference between two configurations that the text compares."
Row = dict[str, Any]


def filled(reader: Reader, preset: Preset, options: Mapping[str, Value]) -> Document:
    """Return the report of a preset with these options. Raises ReportError."""
    maker = _Maker(reader, preset, options)
    text = maker.render()
    document = Document(
        maker.title or preset.title,
        maker.subject,
        maker.origin,
        reader.published_at,
        is_note=preset.is_note,
    )
    blocks: list[Block] = []
    places: dict[int, int] = {}
    for place, block in split(text, maker.blocks):
        if place is not None:
            places[len(blocks)] = place
        blocks.append(block)
    document.blocks.extend(numbered(blocks, places, is_note=preset.is_note))
    return document


def _with_text(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a call that takes what macros made, which is Markdown, as the text that it says."""

    def text(value: Any) -> Any:
        return shown(value) if isinstance(value, Markup) else value

    return lambda *words, **options: call(
        *map(text, words), **{name: text(value) for name, value in options.items()}
    )


class _Maker:
    """What a template can call, and the blocks that it has made."""

    def __init__(self, reader: Reader, preset: Preset, options: Mapping[str, Value]) -> None:
        self._reader = reader
        self._preset = preset
        self._options = dict(options)
        self._rows: dict[str, list[Row]] = {}
        self._draws = is_installed("charts")
        self.blocks: list[Block] = []
        self.claims: list[Row] = []  # comparisons that sentences rest on
        self.certain: dict[str, tuple[str, bool, bool]] = {}  # topic, a regression? a course?
        self._lists: dict[int, tuple[int, bool]] = {}  # where conclusions stand, and which
        self._drawn: dict[tuple[paths.Lane, ...], str] = {}  # paths, and their drawings
        self._last: tuple[paths.Lane, ...] = ()  # the path of the section before
        self._seen: set[object] = set()  # configurations with a chart or table of their own
        self.title = ""
        self.subject = ""
        self.origin: str | None = None

    def render(self) -> str:
        """Return the text of the report, with marks where its blocks are."""
        environment = ImmutableSandboxedEnvironment(
            autoescape=True,
            finalize=printed,
            loader=jinja2.FileSystemLoader(self._preset.folders),
            lstrip_blocks=True,
            trim_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        environment.filters.update(
            listed=facts.listed, plural=facts.plural, shown=shown, metric=facts.metric_label,
            unit=facts.unit_label, day=facts.day, change=facts.change, changed=facts.changed,
            small=small, of_metric=facts.of_metric, percent=facts.percent, size=size,
            bytes=bytes_label, suiting=suiting, alike=alike, in_words=configuration_label,
        )  # fmt: skip
        calls: list[Callable[..., Any]] = [
            self.head, self.about, self.rows, self.unseen, self.value, self.table, self.chart,
            self.page_break, self.noise, self.say, self.say_changed, self.say_printed,
            self.say_noise,
            self.say_across, self.say_on_average, self.say_varied, self.say_compared, self.ref,
            self.evidence, self.conclusions,
            self.topology, self.path, self.written, self.comparison, self.effects, self.differences,
            self.regressions, self.regression_chart, self.offload, self.advice, self.size_table,
            self.cross_table,
            self.measured_table, self.figure_tables, named, with_labels, along,
            called, labelled.numbered, labelled.settings, comparable, facts.days,
        ]  # fmt: skip
        environment.globals.update({call.__name__: _with_text(call) for call in calls})
        environment.globals.update(
            {"option": dict(self._options), "preset": self._preset.name, "asks": self._preset.asks}
            | facts.of_system(self._reader)
        )
        try:
            text = environment.get_template(_TEMPLATE).render()
            self._conclude()
            return text
        except jinja2.TemplateNotFound as error:
            raise ReportError(f"preset {self._preset.name}: there is no {error.name}") from None
        except jinja2.TemplateSyntaxError as error:
            raise ReportError(f"{error.filename}:{error.lineno}: {error.message}") from None
        except (jinja2.TemplateError, TypeError, ValueError, KeyError) as error:
            raise ReportError(f"{_place(error)}: {error}") from None

    def _marked(self, block: Block) -> Markup:
        self.blocks.append(block)
        return Markup(f"\n\n\x02{len(self.blocks) - 1}\x03\n\n")  # noqa: S704 - no text in it

    # --- what a template calls

    def head(self, title: str, subject: str = "", origin: str | None = None) -> str:
        """Set the title of the report, the line below it, and the origin of its figures."""
        self.title, self.subject, self.origin = str(title), str(subject), origin
        return Markup()

    def rows(self, name: str, **where: object) -> list[Row]:
        """Return the rows of a query, those whose columns have these values (one, or a list)."""
        if name not in self._rows:
            self._rows[name] = asked(self._reader, self._preset, name, self._options)
        return [
            row
            for row in self._rows[name]
            if all(
                row[column] in level if isinstance(level, list | tuple) else row[column] == level
                for column, level in where.items()
            )
        ]

    def unseen(self, what: list[Row]) -> list[Row]:
        """Return the rows of configurations that no chart or table of figures has had so far."""
        return [row for row in what if row["configuration"] not in self._seen]

    def value(self, name: str) -> object:
        """Return the first column of the first row of a query, or nothing without a row."""
        found = self.rows(name)
        return next(iter(found[0].values())) if found else None

    def about(self, campaign: str, origin: str | None) -> str:
        """Let the queries that follow be about this campaign."""
        self._options |= {"campaign": campaign, "origin": origin}
        self._rows.clear()
        return Markup()

    def table(
        self,
        what: str | list[Row],
        columns: Mapping[str, str],
        caption: str = "",
        *,
        most: int = tables.MOST_ROWS,
        small: bool = False,
        groups: Mapping[str, str] | None = None,
        digits: Mapping[str, int] | None = None,
        figures: Sequence[str] = (),
        by_row: bool = False,
        section: str = "",
    ) -> str:
        """Add a table of a query or of rows; `columns` maps names to headings with units.

        A column without a value, or whose numbers are all zero, is left out. `small`: in small
        print. `groups` maps names to headings that stand over the columns that share them,
        `digits` names to significant digits (default: three). `by_row`: each row has a unit of its
        own, and so its own decimals. `section`: a column whose values are headings between rows.
        """
        found = self.rows(what) if isinstance(what, str) else list(what)
        made = tables.built(
            found, columns, caption, most=most, is_small=small, groups=groups or {},
            digits=digits or {}, figures=figures, by_row=by_row, section=section,
        )  # fmt: skip
        return self._marked(made) if made else Markup()

    def size_table(self, what: list[Row], caption: str, **options: str) -> str:
        """Add a table of `named` rows by metric and file size.

        The published figures are a row below those of the runs. `level` and `unit`: another factor
        than the file size.
        """
        self._seen.update(row["configuration"] for row in what)
        found = sizes_of(what, **options)  # type: ignore[arg-type]
        if len(found.columns) > _MOST_SIZES and len(set(found.groups.values())) > 1:
            level = options.get("level", "file_size_mb")
            return Markup().join(
                self.size_table([row for row in what if row["metric"] in part], caption, **options)
                for part in labelled.fitting(what, level, _MOST_SIZES - 1)
            )
        if not found.rows:
            return Markup()
        small = len(found.rows) > _SOME or len(found.columns) > _MOST_SIZES
        return self.table(
            found.rows, found.columns, caption, groups=found.groups, digits=found.digits,
            small=small,
        )  # fmt: skip

    def cross_table(
        self, what: list[Row], down: str, across: str, value: str, caption: str, heading: str
    ) -> str:
        """Add a table with a row per level of one column and a column per level of another."""
        self._seen.update(row.get("configuration") for row in what)
        rows, columns = tables.crossed(what, down, across, value, heading)
        return self.table(rows, columns, caption, small=len(rows) > _SOME)

    def measured_table(self, what: list[Row], caption: str) -> str:
        """Add a table of `named` rows: median, range of the runs and published, by metric."""
        self._seen.update(row["configuration"] for row in what)
        found = beside(what)
        metrics = list(dict.fromkeys(row["metric"] for row in what if row["value"]))
        if not metrics:  # nothing but zeros, which a table leaves out
            return Markup()
        width = sum(any(row[name] is not None for row in found.rows) for name in found.columns)
        if width > _MOST_MEASURED and len(metrics) > 1:
            half = -(-len(metrics) // 2)
            return Markup().join(
                self.measured_table([row for row in what if row["metric"] in some], caption)
                for some in (metrics[:half], metrics[half:])
            )
        return self.table(
            found.rows, found.columns, caption, groups=found.groups, digits=found.digits,
            small=len(found.rows) > _MANY or width > _MANY_COLUMNS,
        )  # fmt: skip

    def figure_tables(self, what: list[Row]) -> str:
        """Add tables with every median of rows such as those of `figures`, in small print."""
        found = by_metric(what)
        marks = [
            self.table(
                t.rows, t.columns, f"Every median, part {n + 1} of {len(found)}"
                if len(found) > 1 else "Every median", most=1_000,
                small=True, groups=t.groups, digits=t.digits,
            )
            for n, t in enumerate(found)
        ]  # fmt: skip
        return Markup().join(marks)

    def chart(
        self,
        kind: str,
        what: str | list[Row],
        title: str,
        *,
        half: bool = False,
        about: str = "",
        most: int | None = None,
        **options: Any,
    ) -> str:
        """Add a chart of a query or of rows; nothing if there is nothing to draw.

        `half`: at half the width of the page if its names can be read there; two of them in a row
        stand side by side. `about`: the heading above it, for those who cannot see that. `most`:
        draw the first names only; the title says how many of them. More lines than a reader can
        tell apart become several charts with the same axes.
        """
        found = self.rows(what) if isinstance(what, str) else list(what)
        self._seen.update(row.get("configuration") for row in found)
        value = options.get("value", _SHOWN.get(kind, {}).get("value", "value"))
        name = options.get("name", _NAMED.get(kind, "name"))
        found = [row for row in found if row.get(value) is not None]
        names = list(dict.fromkeys(row.get(name) for row in found))
        if most is not None and len(names) > most:
            title = f"{title}, the first {most} of {len(names)}"
            kept = set(names[:most])
            found, names = [row for row in found if row.get(name) in kept], names[:most]
        if kind not in _LINES or len(names) <= _MOST_LINES or not options.get("key", True):
            return self._one_chart(kind, found, title, half, about, options)
        if kind == "by_size" and len(names) <= _MOST_POINTS:
            level = options.get("level", "file_size_mb")
            if len({row[name] for row in along(found, level)}) <= _MOST_LINES // 2:
                return self._one_chart(kind, found, title, half, about, options)
        if kind == "by_size":
            options["sharing"] = found
        parts = labelled.panels(list(map(str, names)), _MOST_LINES)
        return Markup().join(
            self._one_chart(
                kind, [row for row in found if str(row.get(name)) in own],
                f"{title} ({part + 1} of {len(parts)})", half, about, options,
            )
            for part, own in enumerate(parts)
        )  # fmt: skip

    def _one_chart(
        self,
        kind: str,
        found: list[Row],
        title: str,
        half: bool,
        about: str,
        options: Mapping[str, Any],
    ) -> str:
        said = facts.described(found, **_SHOWN.get(kind, {}) | dict(options))
        spec = None
        if self._draws:
            from app.reports import charts

            half = half and charts.fits_half(kind, found, **options)
            spec = charts.drawn(kind, found, half=half, **options)
        if not (spec if self._draws else said):
            return Markup()
        return self._marked(Chart(title, spec, f"{about}: " * bool(about) + said, half))

    def ref(self, *marks: str) -> str:
        """Return the numbers of charts and tables in words, by what their calls returned."""
        places = _places(marks)
        return Markup(reference(places)) if places else Markup()  # noqa: S704 - numbers only

    def say(self, what: list[Row], *marks: str, **options: Any) -> str:
        """Add what `named` rows of figures say in words: see app.reports.choosing.about.

        `marks`: what the calls returned that drew their charts and tables. More metrics than one
        are a list. `topic`: what they are about, for conclusions.
        """
        topic = options.pop("topic", "")
        found = alike(what)
        metrics = list(dict.fromkeys(row["metric"] for row in found))
        said = []
        for place, metric in enumerate(metrics):
            options["most"] = _MAIN_SENTENCES if place < _MAIN_METRICS else 1
            own = [row for row in found if row["metric"] == metric]
            said.append(choosing.about(own, **options))
        said = [one for one in said if one]
        if len(said) < 2:
            return self._claims([one for some in said for one in some], marks, topic=topic)
        items = Markup("\n").join(
            Markup("- {}").format(self._words(some, topic=topic)) for some in said
        )
        where = self.ref(*marks)
        shows = "show" if len(_places(marks)) > 1 else "shows"
        lead = Markup("{} {}:\n\n").format(where, shows) if where else Markup()
        return self._marked(Text(str(lead + items), is_claim=True))

    def say_across(
        self, what: list[Row], *marks: str, baseline: str, candidate: str, topic: str = ""
    ) -> str:
        """Add in how many configurations each metric is better or worse, of rows of a comparison.

        `baseline`, `candidate`: the sides in words.
        """
        found = [suiting(row, ("baseline", "candidate")) for row in what]
        said = [
            sentences.across([r for r in found if r["metric"] == metric], baseline, candidate)
            for metric in dict.fromkeys(row["metric"] for row in found)
        ]
        return self._claims([one for one in said if one], marks, topic=topic)

    def say_on_average(self, what: list[Row]) -> str:
        """Add what factors do on average, from rows of `effects` with `what` in words."""
        said = [(row["what"], one) for row in what if (one := sentences.on_average(row))]
        factors = dict.fromkeys(name for name, _ in said)
        items = [
            Markup("- **{}:** {}").format(
                printed(factor),
                self._words(
                    [one for name, one in said if name == factor],
                    is_change=True,
                    topic=str(factor),
                ),
            )
            for factor in factors
        ]
        text = str(Markup("\n").join(items))
        return self._marked(Text(text, is_claim=True)) if items else Markup()

    def say_changed(self, what: list[Row]) -> str:
        """Add a sentence for each regression: what changed, by how much, since when and why."""
        said = [sentences.changed(suiting(row)) for row in what]
        return Markup().join(self._claims([one], (), is_change=True) for one in said)

    def _claims(
        self,
        said: Sequence[sentences.Said],
        marks: Sequence[str],
        *,
        is_change: bool = False,
        topic: str = "",
    ) -> Markup:
        if not said:
            return Markup()
        text = self._words(said, is_change=is_change, topic=topic)
        where = self.ref(*marks)
        return self._marked(Text(f"{where}: {text}" if where else str(text), is_claim=True))

    def _words(
        self, said: Sequence[sentences.Said], *, is_change: bool = False, topic: str = ""
    ) -> Markup:
        """Return sentences as text, and keep what they compare."""
        for one in said:
            own = [claim | {"topic": topic or None} for claim in one.claims]
            self.claims += [claim for claim in own if claim not in self.claims]
            if any(claim["verdict"] in _CERTAIN for claim in one.claims):
                self.certain[one.text] = topic, is_change, one.is_course
        return Markup(" ").join(printed(one.text) for one in said)

    def evidence(self, caption: str) -> str:
        """Add a table of the comparisons that the sentences rest on."""
        rows = [
            claim
            | {
                "label": metric_label(claim["metric"]),
                "unit_label": unit_label(claim["unit"] or ""),
                "topic": claim["topic"] or _NO_TOPIC,
                "change": None
                if claim["change"] is None
                else facts.difference(claim).removesuffix(" %"),
                "interval": None
                if claim["low"] is None or claim["high"] is None
                else facts.interval(claim).removesuffix(" %"),
            }
            for claim in self.claims
        ]
        topics = list(dict.fromkeys(row["topic"] for row in rows))
        rows.sort(key=lambda row: topics.index(row["topic"]))
        columns = {
            "name": "Of", "label": "What", "value": "Figure", "against": "Against",
            "before": "Its figure", "unit_label": "Unit", "change": "Change, %",
            "interval": "95 % interval", "runs": "Runs", "verdict": "Verdict",
        }  # fmt: skip
        return self.table(
            rows, columns, caption, small=True, most=1_000, figures=("value", "before"),
            section="topic",
        )  # fmt: skip

    def conclusions(self, most: int = 16, *, changes: bool = True) -> str:
        """Add the sentences of the whole report whose comparisons are certain, as a list by topic.

        The first one of each topic comes before the second of any, and what compares
        configurations before the course of one. `changes`: also those of regressions, and what
        factors do on average.
        """
        self._lists[len(self.blocks)] = most, changes
        return self._marked(Text("", is_claim=True))

    def _conclude(self) -> None:
        """Fill in the lists of conclusions, when all sentences are known."""
        nothing = _NONE_CERTAIN if self.claims else _NONE_COMPARED
        for place, (most, changes) in self._lists.items():
            topics: dict[str, list[str]] = {}
            for one, (topic, is_change, _) in self.certain.items():
                if changes or not is_change:
                    topics.setdefault(topic or one, []).append(one)
            for own in topics.values():
                own.sort(key=lambda one: self.certain[one][2])
            ranked = sorted(
                (rank, place, one)
                for place, own in enumerate(topics.values())
                for rank, one in enumerate(own[:_MOST_OF_TOPIC])
            )
            chosen = {one for _, _, one in ranked[:most]}
            text = "\n".join(
                f"- **{printed(topic)}:** {' '.join(map(printed, own))}"
                if topic != own[0]
                else f"- {printed(own[0])}"
                for topic, some in topics.items()
                if (own := [one for one in some if one in chosen])
            )
            is_below = not changes and bool(self.certain)  # what is certain stands below
            self.blocks[place] = Text(text or ("" if is_below else nothing), is_claim=True)

    def say_compared(self, what: list[Row], baseline: str, candidate: str) -> str:
        """Add a sentence for each of these rows of a comparison, which are decided."""
        found = [suiting(row, ("baseline", "candidate")) for row in what]
        said = [sentences.two_sides(row, baseline, candidate) for row in found]
        items = Markup("\n").join(Markup("- {}").format(self._words([one])) for one in said)
        return self._marked(Text(str(items), is_claim=True)) if said else Markup()

    def say_varied(self, what: list[Row], *marks: str) -> str:
        """Add which figures differ the most from one transfer to another, and which the least."""
        said = sentences.varied(what)
        return self._claims([said] if said else [], marks)

    def say_noise(self, what: list[Row]) -> str:
        """Add a sentence on the noise of each metric, from the rows of `noise`."""
        return self._claims([sentences.steady(row) for row in what], ())

    def say_printed(self, what: list[Row]) -> str:
        """Add which of these figures lies the furthest from what was published."""
        said = sentences.printed([suiting(row) for row in what])
        return self._claims([said] if said else [], ())

    def written(self, part: str) -> str:
        """Add the part of the report that a team wrote: introduction or conclusions."""
        campaign = self._options.get("campaign")
        text = facts.written(self._reader, str(campaign), part) if campaign else ""
        return self._marked(Text(text)) if text else Markup()

    def topology(self, title: str) -> str:
        """Add a drawing of the systems, queue managers, channels and partners of the runs."""
        names = ("machines", "managers", "channels", "facilities", "disks", "partners")
        parts = {name: self.rows(name) for name in names}
        said = facts.topology_in_words(parts)
        if not said:
            return Markup()
        spec = None
        if self._draws:
            from app.reports import charts

            spec = charts.topology(parts)
        return self._marked(Chart(title, spec, said))

    def path(self, what: list[Row], title: str, driver: str = "") -> str:
        """Add a drawing of which way the data of these configurations went, for their section.

        Nothing if it is that of the section before; a reference if it was drawn earlier. `driver`:
        what puts the messages, where that is no agent.
        """
        own = {row["configuration"] for row in what}
        ways = (row for row in self.rows("paths") if row["configuration"] in own)
        found = tuple(paths.lanes(ways, driver))
        if not found or found == self._last:
            return Markup()
        self._last = found
        if found in self._drawn:
            where = self.ref(self._drawn[found])
            return self._marked(Text(f"The data went the way of {where}."))
        spec = None
        if self._draws:
            from app.reports import charts

            spec = charts.paths(found)
        self._drawn[found] = self._marked(Chart(title, spec, paths.in_words(found)))
        return self._drawn[found]

    def page_break(self) -> str:
        """Begin a new page."""
        return self._marked(PageBreak())

    def comparison(
        self,
        baseline: str | Mapping[str, object],
        candidate: str | Mapping[str, object],
        *,
        ignore: Sequence[str] = (),
        only: str = "",
    ) -> dict[str, Any]:
        """Compare two sides, as 'perfhouse compare' does: see facts.comparison."""
        return facts.comparison(self._reader, baseline, candidate, tuple(ignore), only)

    def effects(self, factor: str, before: object, after: object, **where: object) -> list[Row]:
        """Return what a factor does to each metric of the chosen campaign: see facts.effects."""
        chosen = {name: self._options[name] for name in ("campaign", "origin")}
        return facts.effects(self._reader, factor, before, after, chosen | where)

    def differences(self, asked: Sequence[Sequence[object]], **where: object) -> list[Row]:
        """Return what several factors do in the chosen campaign: see facts.differences."""
        chosen = {name: self._options[name] for name in ("campaign", "origin")}
        return facts.differences(self._reader, asked, chosen | where)

    def noise(self, what: list[Row]) -> list[Row]:
        """Return the noise of a campaign's metrics apart from their changes: see facts.noise."""
        return facts.noise(what)

    def regressions(
        self, campaign: str | None = None, configurations: Sequence[str] | None = None
    ) -> list[Row]:
        """Return the known regressions, open ones first, as on the page Regressions.

        `campaign`, `configurations`: only of these.
        """
        kept = None if configurations is None else set(map(configuration_label, configurations))
        return [
            row
            for row in facts.regressions(self._reader)
            if (campaign is None or row["campaign"] == campaign)
            and (kept is None or row["configuration"] in kept)
        ]

    def regression_chart(self, row: Row, title: str) -> str:
        """Add the chart of one regression's runs and levels."""
        runs = facts.runs_of(self._reader, row)
        scale, _ = suited(row["before"], row["unit"] or "")
        if scale != 1:
            row = suiting(row)
            runs = runs.with_columns(pl.col("value") / scale)
        said = facts.described(runs.to_dicts(), unit=row["unit"] or "", name="start_utc")
        spec = None
        if self._draws:
            from app.reports import charts

            spec = charts.regression(row, runs)
        return self._marked(Chart(title, spec, said))

    def offload(self, **given: float) -> dict[str, Any]:
        """Work out what zIIPs would save: see app.results.offload."""
        return facts.offload(**given)

    def advice(self) -> list[Row]:
        """Return the rules of the published documents, judged on this warehouse."""
        return facts.advice(self._reader, self._options)


def _places(marks: Sequence[str]) -> list[int]:
    """Return the places of the charts and tables that calls returned."""
    return [int(place) for mark in marks for place in MARK.findall(str(mark))]


def _place(error: BaseException) -> str:
    """Return the template and line in which an error arose."""
    place, trace = _TEMPLATE, error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.endswith(".j2"):
            place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
