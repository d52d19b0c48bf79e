"""``growth.py``: what growth knows, which replies belong to which messages, what they teach, who is left in peace."""

from __future__ import annotations

from mindloop.cli.parsing import verb

PROG = "growth.py"
JUDGING = "mindloop.skills.grow.judging"
VERBS = {
    "show": "what growth knows of a user",
    "sent": "how a message went out: its conversation, when, or never",
    "match": "propose which messages new replies answer",
    "list": "proposed matches that wait for a person",
    "confirm": "confirm matches: the reply counts, and a judge is asked what it says",
    "reject": "reject matches",
    "packet": "print the exact prompt about one reply",
    "answer": "take a judge's answer about one reply from standard input",
    "learn": "check the filed answers of a run and learn from them",
    "report": "which questions work, what decays, who is silent",
    "stop": "write to a user no more, with the reason",
    "resume": "write to a stopped user again",
}


def main(argv: list[str]) -> int:
    """Run one verb."""
    return _VERBS[verb(PROG, argv, VERBS)](argv[1:])


def _show(argv: list[str]) -> int:
    from mindloop.cli.growth_show import show

    return show(argv)


def _sent(argv: list[str]) -> int:
    from mindloop.cli.growth_sent import sent

    return sent(argv)


def _match(argv: list[str]) -> int:
    from mindloop.cli.growth_match import match

    return match(argv)


def _list(argv: list[str]) -> int:
    from mindloop.cli.growth_confirm import list_

    return list_(argv)


def _confirm(argv: list[str]) -> int:
    from mindloop.cli.growth_confirm import confirm

    return confirm(argv)


def _reject(argv: list[str]) -> int:
    from mindloop.cli.growth_confirm import reject

    return reject(argv)


def _packet(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import packet

    return packet(PROG, argv)


def _answer(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import answer

    return answer(PROG, JUDGING, argv)


def _learn(argv: list[str]) -> int:
    from mindloop.cli.run_verbs import resume

    return resume(PROG, JUDGING, argv, verb="learn")


def _report(argv: list[str]) -> int:
    from mindloop.cli.growth_report import report

    return report(argv)


def _stop(argv: list[str]) -> int:
    from mindloop.cli.growth_stop import stop

    return stop(argv)


def _resume(argv: list[str]) -> int:
    from mindloop.cli.growth_stop import resume

    return resume(argv)


_VERBS = {
    "show": _show,
    "sent": _sent,
    "match": _match,
    "list": _list,
    "confirm": _confirm,
    "reject": _reject,
    "packet": _packet,
    "answer": _answer,
    "learn": _learn,
    "report": _report,
    "stop": _stop,
    "resume": _resume,
}
