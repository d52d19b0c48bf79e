"""``canvas.py``: observe a quote, ingest an export, list and show users."""

from __future__ import annotations

from mindloop.cli.output import emit, emit_json, limited
from mindloop.cli.parsing import add_json, parser, verb
from mindloop.cli.place import opened
from mindloop.store.errors import Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.skills.ingest_dm.observe import Asked
    from mindloop.store.workspace import Workspace

PROG = "canvas.py"
JUDGING = "mindloop.skills.ingest_dm.judging"
VERBS = {
    "observe": "put a quote from standard input on a user's canvas",
    "ingest": "put what a user said in an export of direct messages on the canvas",
    "packet": "print the exact question about a user's new quotes",
    "answer": "take its answer from standard input: which quotes matter, skeleton hypotheses",
    "resume": "take the filed answers of a run",
    "list": "who is known",
    "show": "what is known of one user",
}


def main(argv: list[str]) -> int:
    """Run one verb."""
    return _VERBS[verb(PROG, argv, VERBS)](argv[1:])


def _observe(argv: list[str]) -> int:
    from mindloop.cli.output import read_stdin_text
    from mindloop.store.clock import now

    options = parser(
        f"{PROG} observe",
        "Put a quote on a user's canvas, with the record and the comment that make it verifiable.\n"
        "Exit 1 where this user's quote is known already; nothing is written then.",
    )
    options.add_argument("--user", required=True, help="who said it")
    options.add_argument("--wallet", help="0x and 40 hex digits; fills an empty field, replaces nothing")
    options.add_argument("--context", help="where it was said")
    options.add_argument("--date", metavar="WHEN", help="when it was said; without it nobody claims to know")
    options.add_argument("--ask", action="store_true", help="ask a judge, too, what the quote is worth")
    add_json(options)
    chosen = options.parse_args(argv)
    quote = read_stdin_text("the quote").removesuffix("\n").removesuffix("\r")
    workspace = opened()
    said = chosen.user, quote, chosen.wallet, chosen.context, chosen.date, now()
    asked: dict[str, Any] = {}
    if chosen.ask:
        from mindloop.skills.ingest_dm.observe import observe_and_ask

        done = observe_and_ask(workspace, *said)
        seen, lines = done.seen, _question(done)
        asked = {"run": done.run, "packet": done.packet, "notes": done.notes}
    else:
        from mindloop.observer.names import display_name, slug
        from mindloop.observer.provenance.observe import add_quote

        with workspace.transaction("research", f"user:{slug(display_name(chosen.user))}") as tx:
            seen, lines = add_quote(tx, *said), []
    if chosen.json:
        emit_json({"canvas": seen.path, "created": seen.created, "record": seen.record, **asked})
    else:
        told = f"{seen.path}: {'made' if seen.created else 'extended'}; {seen.record['content_hash']}"
        emit("\n".join([told, *lines]))
    return 0


def _question(done: Asked) -> list[str]:
    """Who is to be asked about a quote, and what comes then; why nobody is asked goes to stderr."""
    from mindloop.cli.output import tell
    from mindloop.skills.ingest_dm import JUDGE

    tell(done.notes, "note")
    return [f"{done.user}: {done.packet} for {JUDGE}", f"then: {PROG} resume {done.run}"] if done.packet else []


def _list(argv: list[str]) -> int:
    from mindloop.observer.canvas.reading import load_canvases

    options = parser(f"{PROG} list", "Who is known, and which canvases cannot be used.")
    options.add_argument("--full", action="store_true", help="list all")
    add_json(options)
    chosen = options.parse_args(argv)
    files = load_canvases(opened())
    if chosen.json:
        emit_json({"users": [_row(one) for one in files]})
    else:
        emit("\n".join(limited([_line(one) for one in files], full=chosen.full)) or "nobody yet")
    return 0


def _row(one: CanvasFile) -> dict[str, Any]:
    if one.canvas is None:
        return {"user": one.user_guess, "canvas": one.path, "problem": one.error.message if one.error else ""}
    return {
        "user": one.canvas.user,
        "canvas": one.path,
        "wallet": one.canvas.wallet,
        "lifecycle_state": one.canvas.lifecycle_state,
        "hypotheses": len(one.canvas.hypotheses),
        "updated": one.canvas.updated,
    }


def _line(one: CanvasFile) -> str:
    if one.canvas is None:
        return f"{one.user_guess}: cannot be used: {one.error.message if one.error else ''}"
    canvas = one.canvas
    state = canvas.lifecycle_state or "no lifecycle state"
    return f"{canvas.user}: {state}, {len(canvas.hypotheses)} hypotheses, updated {canvas.updated or 'never'}"


def _show(argv: list[str]) -> int:
    from mindloop.observer.canvas.reading import load_canvases, matches

    options = parser(f"{PROG} show", "What is known of one user. Exit 1 where there is no such canvas.")
    options.add_argument("user", help="a name, as list shows it")
    options.add_argument("--full", action="store_true", help="show all")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = opened()
    found = [one for one in load_canvases(workspace) if matches(one, chosen.user)]
    if not found:
        message = f"no canvas of {chosen.user[:80]!r}"
        raise Negative(message, f"See whose there are: {PROG} list")
    if all(one.canvas is None for one in found):
        raise found[0].error or Negative(f"{found[0].path} cannot be used", "See why: doctor.py")
    known = _known(workspace, next(one.canvas for one in found if one.canvas is not None))
    if chosen.json:
        emit_json(known)
    else:
        emit("\n".join(limited(_told(known), full=chosen.full)))
    return 0


def _known(workspace: Workspace, canvas: Canvas) -> dict[str, Any]:
    from mindloop.observer.provenance.index import load_user
    from mindloop.observer.provenance.verification import verify_canvas

    quotes = verify_canvas(canvas, load_user(workspace, canvas.user))
    return {
        "user": canvas.user,
        "canvas": canvas.path,
        "wallet": canvas.wallet,
        "lifecycle_state": canvas.lifecycle_state,
        "updated": canvas.updated,
        "last_enriched": canvas.last_enriched,
        "hypotheses": [
            {"id": one.id, "title": one.title, "confidence": one.confidence, "closed": one.closed}
            for one in canvas.hypotheses
        ],
        "promises": [
            {"text": one.text, "date": one.date, "status": one.status, "redeemed": one.redeemed}
            for one in canvas.promises
        ],
        "gaps": [{"id": one.id, "title": one.title, "status": one.status} for one in canvas.gaps],
        "quotes": [{"status": one.status, "hash": one.hash, "text": one.text} for one in quotes],
        "warnings": canvas.warnings,
    }


def _told(known: dict[str, Any]) -> list[str]:
    verified = sum(quote["status"] == "verified" for quote in known["quotes"])
    lines = [
        f"{known['user']} ({known['canvas']})",
        f"wallet {known['wallet'] or 'none'}, {known['lifecycle_state'] or 'no lifecycle state'}",
        f"{verified} of {len(known['quotes'])} quotes verified",
    ]
    lines += [f"  {one['id']} {one['confidence']}: {one['title'][:80]}" for one in known["hypotheses"]]
    lines += [f"  promise of {one['date']}: {one['text'][:80]}" for one in known["promises"] if not one["redeemed"]]
    return lines + [f"  gap {one['id']} {one['status']}: {one['title'][:80]}" for one in known["gaps"]]


def _ingest(argv: list[str]) -> int:
    from mindloop.cli.canvas_ingest import ingest

    return ingest(argv)


def _packet(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import packet

    return packet(PROG, argv)


def _answer(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import answer

    return answer(PROG, JUDGING, argv)


def _resume(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import resume

    return resume(PROG, JUDGING, argv)


_VERBS = {
    "observe": _observe,
    "ingest": _ingest,
    "packet": _packet,
    "answer": _answer,
    "resume": _resume,
    "list": _list,
    "show": _show,
}
