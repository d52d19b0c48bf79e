"""``growth.py list``, ``confirm``, ``reject``: a person's word on proposed matches."""

from __future__ import annotations

from mindloop.cli.output import LIST_LIMIT, emit, emit_json, limited, tell
from mindloop.cli.parsing import add_json, parser
from mindloop.cli.place import opened
from mindloop.observer.growth.files import load_proposals, read_proposals
from mindloop.observer.growth.proposals import KINDS, PRESELECTED, kinds, pending
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import counted, excerpt
from mindloop.observer.names import display_name, slug
from mindloop.skills.grow.reply import Asked
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import Proposals, ProposedMatch
    from mindloop.skills.grow.confirm import Confirmed, Verdict
    from mindloop.store.workspace import Workspace

PROG = "growth.py"
SNIPPET = 90
_REFERENCE = "an id as list shows it (four characters are enough), a token such as FU:75d2f0ef, or a message id fu-…"


def list_(argv: list[str]) -> int:
    """Print what waits: of one user with the words, of everybody the numbers only; 1 for somebody nobody knows."""
    options = parser(
        f"{PROG} list",
        "Proposed matches that wait for a person: how sure each is, what we asked, what the reply says.\n"
        "* marks those that --preselected confirms.",
        kinds(),
    )
    options.add_argument("user", nargs="?", help="only this user's, with the words of each message and reply")
    options.add_argument("--full", action="store_true", help="list all")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened()
    documents = [_known(workspace, display_name(chosen.user))] if chosen.user else _all(workspace)
    if chosen.json:
        users = [_json(one, workspace if chosen.user else None) for one in documents if chosen.user or pending(one)]
        emit_json({"users": users})
        return 0
    rows = (
        _rows(documents[0], workspace, full=chosen.full)
        if chosen.user
        else [_count(one) for one in documents if pending(one)]
    )
    emit("\n".join(limited(rows, full=chosen.full)) or "nothing waits")
    return 0


def _known(workspace: Workspace, user: str) -> Proposals:
    """One user's proposals; a name that nobody has is not taken for a user of whom nothing waits."""
    layout, name = layout_of(workspace), slug(user)
    if not any(workspace.exists(path) for path in (layout.proposals(name), layout.growth(name), layout.canvas(name))):
        from mindloop.skills.grow.whom import require_known  # looks into every canvas

        require_known(workspace, user)
    return read_proposals(workspace, user)


def _all(workspace: Workspace) -> list[Proposals]:
    """Everybody's proposals; a file that cannot be used is told, and the others are shown."""
    documents, problems = load_proposals(workspace)
    tell(problems)
    return documents


def _json(document: Proposals, workspace: Workspace | None) -> dict[str, Any]:
    """What waits; what we asked only where one user's is looked up."""
    waiting: list[dict[str, Any]] = [
        {**match, "preselected": match["match_type"] in PRESELECTED, "certainty": _certainty(match)}
        for match in pending(document)
    ]
    if workspace:
        asked = Asked(workspace, document["user"])
        waiting = [{**match, "question": asked.text(match)} for match in waiting]  # type: ignore[arg-type]  # a match and more
    return {"user": document["user"], "pending": waiting}


def _certainty(match: ProposedMatch) -> str:
    return KINDS[match["match_type"]][0]


def _count(document: Proposals) -> str:
    waiting = pending(document)
    sure = sum(match["match_type"] in PRESELECTED for match in waiting)
    return f"{document['user']}: {len(waiting)} waiting, {sure} of them by token or thread"


def _rows(document: Proposals, workspace: Workspace, *, full: bool) -> list[str]:
    """Three lines a match; no more questions are looked up than are shown."""
    asked = Asked(workspace, document["user"])
    return [
        _row(match, asked.text(match) if full or place < LIST_LIMIT else None)
        for place, match in enumerate(pending(document))
    ]


def _row(match: ProposedMatch, question: str | None) -> str:
    mark = "*" if match["match_type"] in PRESELECTED else " "
    when = (match["signal_timestamp"] or "no date")[:10]
    said = excerpt(match["evidence_snippet"], SNIPPET)
    text = "(its text is not kept any more)" if question is None else repr(excerpt(question, SNIPPET))
    return (
        f"{mark} {match['id']} {_certainty(match)}, by {match['match_type']}: {match['follow_up_id']}\n"
        f"    asked: {text}\n    reply: {said!r}, {when}"
    )


def confirm(argv: list[str]) -> int:
    """Confirm matches."""
    from mindloop.skills.grow.confirm import confirm as confirmed_by
    from mindloop.store.clock import now

    chosen = _confirm_options(argv)
    verdict = _verdict(chosen)
    if not chosen.match and not chosen.preselected:
        raise WrongInput(f"{PROG} confirm: expected a match or --preselected", f"See: {PROG} confirm --help")
    result = confirmed_by(
        opened(),
        chosen.user,
        chosen.match,
        now(),
        preselected=chosen.preselected,
        quality=chosen.signal_quality,
        verdict=verdict,
    )
    if chosen.json:
        emit_json(_confirmed_json(result))
        return 0
    tell(result.warnings)
    emit("\n".join(_told(result, full=chosen.full)))
    return 0


def _confirm_options(argv: list[str]) -> Any:
    from mindloop.observer.growth.confidence import DIRECTIONS, STRENGTHS

    options = parser(
        f"{PROG} confirm",
        "Confirm matches: each message counts as answered, late or not, and other guesses for the same reply go.\n"
        "A judge is asked what each reply says, unless --direction and --strength say it.\n"
        "Exit 1 where all of them are confirmed already; nothing is changed then.",
    )
    options.add_argument("user", help="whose matches")
    options.add_argument("match", nargs="*", help=_REFERENCE)
    options.add_argument("--preselected", action="store_true", help="every match by token or thread")
    options.add_argument("--signal-quality", choices=STRENGTHS, help="how much the replies are worth")
    options.add_argument("--direction", choices=DIRECTIONS, help="what the reply does to the hypothesis")
    options.add_argument("--strength", choices=STRENGTHS, help="how strongly; high moves the confidence")
    options.add_argument("--rationale", default="", metavar="TEXT", help="why, one or two sentences")
    options.add_argument("--full", action="store_true", help="list all")
    add_json(options)
    return options.parse_args(argv)


def _verdict(chosen: Any) -> Verdict | None:
    from mindloop.skills.grow.confirm import Verdict

    if bool(chosen.direction) != bool(chosen.strength) or (chosen.rationale and not chosen.direction):
        raise WrongInput(
            f"{PROG} confirm: --direction and --strength belong together, --rationale to both",
            "Give both, or none of them to let a judge say it.",
        )
    return Verdict(chosen.direction, chosen.strength, chosen.rationale) if chosen.direction else None


def _confirmed_json(result: Confirmed) -> dict[str, Any]:
    return {
        "user": result.user,
        "confirmed": result.confirmed,
        "rejected": [match["id"] for match in result.rejected],
        "told": result.told,
        "run": result.run,
        "packets": result.packets,
        "warnings": result.warnings,
    }


def _told(result: Confirmed, *, full: bool) -> list[str]:
    others = counted(len(result.rejected), "other guess", "other guesses")
    lines = [f"{result.user}: {len(result.confirmed)} confirmed, {others} rejected"]
    lines += limited([f"  {line}" for line in result.told], full=full, budget=700)
    if result.run:
        rows = [f"{packet} for reply-classifier" for packet in result.packets]
        lines += [*limited(rows, full=full, budget=700), f"then: growth.py learn {result.run}"]
    return lines


def reject(argv: list[str]) -> int:
    """Reject matches."""
    from mindloop.skills.grow.reject import reject as rejected_by

    options = parser(f"{PROG} reject", "Reject matches; the same reply is never proposed for the same message again.")
    options.add_argument("user", help="whose matches")
    options.add_argument("match", nargs="+", help=_REFERENCE)
    add_json(options)
    chosen = options.parse_args(argv)
    gone: list[ProposedMatch] = rejected_by(opened(), chosen.user, chosen.match)
    if chosen.json:
        emit_json({"rejected": [match["id"] for match in gone]})
    else:
        emit("\n".join(limited([f"{match['id']}: rejected" for match in gone], full=False)))
    return 0
