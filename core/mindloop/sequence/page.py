"""A page that stands alone: the exclusion matrix, and a simulated timeline if one is given.

One file, nothing loaded from anywhere, no script; readable light, dark and printed, by keyboard and by ear. Equal input
gives equal bytes.
"""

from __future__ import annotations

from mindloop.sequence import drawing
from mindloop.sequence.matrix import ENTRY, MEANINGS, NOTHING, PRESENT, REQUIRED, WRONG
from mindloop.sequence.shown import html
from mindloop.sequence.timeline import MOST_LEADS, read_timeline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.matrix import Column, Line, Matrix
    from mindloop.sequence.timeline import Timeline

_SIGNS = {ENTRY: "▶", PRESENT: "✓", NOTHING: "", REQUIRED: "▷"}
_WRONG_SIGN = "✗"
_MOST_SENDS = 2_000
_STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1a1d21;--soft:#5b6470;--line:#d5dae1;--band:#f5f7f9;--good:#0b6e4f;
--goodbg:#e3f4ec;--bad:#a8200d;--badbg:#fde7e2;--cross:#a8200d;--burst:#6b3fa0;--stop:#8a4b00;--key:#0b57a4;--keybg:#e4effb}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e8eaed;--soft:#a3acb8;--line:#3a4149;--band:#1b1f24;
--good:#63d2a4;--goodbg:#12372a;--bad:#ff9e8c;--badbg:#4a1a12;--cross:#ff9e8c;--burst:#cdb0ff;--stop:#ffc277;--key:#8cc4ff;
--keybg:#14304d}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:90rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
.verdict{font-size:1.05rem;margin:.25rem 0 1rem}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}
.scroll{overflow:auto;max-width:100%;border:1px solid var(--line);border-radius:.4rem}
.scroll:focus-visible,summary:focus-visible,a:focus-visible{outline:3px solid var(--key);outline-offset:2px}
table{border-collapse:separate;border-spacing:0;font-size:.875rem}
caption{text-align:left;padding:.5rem .75rem;color:var(--soft)}
th,td{padding:.4rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:bottom;white-space:nowrap}
tbody tr:last-child>*{border-bottom:0}
thead th{background:var(--band);position:sticky;top:0}
thead small{display:block;font-weight:400;color:var(--soft)}
tbody th[scope=row]{background:var(--paper);position:sticky;left:0;border-right:1px solid var(--line)}
tbody th[scope=rowgroup]{background:var(--band);font-weight:700}
td.good{color:var(--good)}td.key{color:var(--key);background:var(--keybg)}
td.bad{color:var(--bad);background:var(--badbg);font-weight:700}
td.none{color:var(--soft)}tr.idle th[scope=row]{font-style:italic;font-weight:400}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem .9rem;margin:.75rem 0;font-size:.875rem}
dt{font-weight:700;display:flex;align-items:center;gap:.4rem}dd{margin:0;align-self:center}
.note{color:var(--soft);font-size:.875rem}details{margin:1rem 0}summary{cursor:pointer}
@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--line:#999;--band:#f2f2f2;--good:#064;
--bad:#900;--badbg:#fff;--key:#036;--keybg:#fff;--cross:#900;--burst:#40a;--stop:#740}
main{max-width:none;padding:0}.skip{display:none}.scroll{overflow:visible;border:0}
thead th,tbody th[scope=row]{position:static}td.bad{outline:2px solid #900;outline-offset:-2px}
tr{break-inside:avoid}h2,h2+.note{break-after:avoid}details:not([open]){display:none}
table{font-size:7.5pt}th,td{padding:.2rem .3rem;white-space:normal}
svg.timeline[role=img]{max-width:100%;height:auto}@page{size:landscape;margin:12mm}}
"""


def page(matrix: Matrix, timeline: object = None) -> str:
    """The page.

    Args:
        matrix: of a model.
        timeline: the object that a simulation prints as JSON, or None.

    Raises:
        Malformed: the timeline is no such object.
    """
    drawn = None if timeline is None else read_timeline(timeline)
    title = f"Follow-ups of {html(matrix.agent)}" if matrix.agent else "Follow-ups"
    parts = [*_head(title), *_matrix(matrix), *(_timeline(drawn) if drawn else ()), "</main>", "</body>", "</html>", ""]
    return "\n".join(parts)


def _head(title: str) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>{title}</title>"
    yield f"<style>{_STYLE}{drawing.style()}</style></head>"
    yield "<body>"
    yield '<a class="skip" href="#matrix">To the matrix</a>'
    yield "<main>"
    yield f"<h1>{title}</h1>"


def _matrix(matrix: Matrix) -> Iterator[str]:
    yield f'<p class="verdict">{html(matrix.verdict(), 400)}.</p>'
    yield '<h2 id="matrix">Exclusion matrix</h2>'
    yield '<div class="scroll" tabindex="0" role="region" aria-labelledby="matrix">'
    yield "<table>"
    yield "<caption>Follow-ups against the entry stamps of all stages and the stops; capitals are wrong</caption>"
    yield f'<thead><tr><th scope="col">follow-up</th>{"".join(_column(one) for one in matrix.columns)}</tr></thead>'
    group: str | None = None
    for line in matrix.lines:
        if line.follow_up.stage_id != group:
            yield from ("</tbody>",) if group is not None else ()
            group = line.follow_up.stage_id
            yield f'<tbody><tr><th scope="rowgroup" colspan="{len(matrix.columns) + 1}">{_stage(line)}</th></tr>'
        yield _line(line)
    yield "</tbody></table></div>" if group is not None else "</table></div>"
    yield "<dl>"
    for word in matrix.used():
        yield f"<dt>{_signed(word)}</dt><dd>{html(MEANINGS[word])}</dd>"
    yield "</dl>"


def _column(column: Column) -> str:
    kinds = [f"stamp of {', '.join(column.stage_ids)}"] if column.stage_ids else []
    kinds += ["stop"] if column.is_stop else []
    return f'<th scope="col">{html(column.property_id, 60)}<small>{html(" and ".join(kinds))}</small></th>'


def _stage(line: Line) -> str:
    stage = line.stage
    if stage is None:
        return f"{html(line.follow_up.stage_id)} (no such stage)"
    label = f" {html(stage.label)}" if stage.label and stage.label != stage.id else ""
    return f"stage {html(stage.id)}{label}"


def _line(line: Line) -> str:
    idle = "" if line.follow_up.is_live else ' class="idle"'
    cells = "".join(f'<td class="{_kind(word)}">{_signed(word)}</td>' for word in line.words)
    return f'<tr{idle}><th scope="row">{html(line.label, 80)}</th>{cells}</tr>'


def _kind(word: str) -> str:
    if word in WRONG:
        return "bad"
    return {PRESENT: "good", NOTHING: "none"}.get(word, "key")


def _signed(word: str) -> str:
    if word == NOTHING:
        return '<span aria-label="nothing needed">·</span>'
    return f'<span aria-hidden="true">{_SIGNS.get(word, _WRONG_SIGN)}</span> {html(word)}'


def _timeline(timeline: Timeline) -> Iterator[str]:
    yield '<h2 id="timeline">Simulated timeline</h2>'
    counts = ", ".join(f"{count} {name}" for name, count in timeline.counts.items())
    yield f'<p class="note">{html(counts)}</p>' if counts else ""
    if not timeline.lanes:
        yield "<p>Nothing was sent, and nothing was owed.</p>"
        return
    yield '<div class="scroll" tabindex="0" role="region" aria-labelledby="timeline">'
    yield drawing.drawn(timeline)
    yield "</div>"
    if timeline.hidden:
        yield f'<p class="note">{timeline.hidden} more leads are not drawn, at most {MOST_LEADS} are.</p>'
    yield "<dl>"
    for picture, word, meaning in drawing.legend(timeline):
        yield f"<dt>{picture}{word}</dt><dd>{meaning}</dd>"
    yield "</dl>"
    yield from _as_table(timeline)


def _as_table(timeline: Timeline) -> Iterator[str]:
    """The same again for those who cannot see the picture, or want to copy from it."""
    yield "<details><summary>The timeline as a table</summary>"
    yield '<div class="scroll" tabindex="0" role="region" aria-label="The timeline as a table">'
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("lead", "follow-up", "minute", "after", "what happened")
    )
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    rows = list(_rows(timeline))
    yield from rows[:_MOST_SENDS]
    yield "</tbody></table></div>"
    yield f'<p class="note">and {len(rows) - _MOST_SENDS} more</p>' if len(rows) > _MOST_SENDS else ""
    yield "</details>"


def _rows(timeline: Timeline) -> Iterator[str]:
    for lane in timeline.lanes:
        for row in lane.rows.values():
            start = f'<tr><th scope="row">{html(lane.lead)}</th><td>{html(row.follow_up)}</td>'
            for mark in row.marks.values():
                said = html(mark.label.partition(" ")[2] or ("sent" if mark.sent else ""), 200)
                yield f"{start}<td>{mark.minute}</td><td>{drawing.human(mark.minute)}</td><td>{said}</td></tr>"
            if row.silent is not None:
                yield f"{start}<td></td><td></td><td>never sent: {html(row.silent)}</td></tr>"
