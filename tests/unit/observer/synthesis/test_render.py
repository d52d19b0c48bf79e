"""The file that says what users share."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.observer.synthesis.answer import LISTS, Findings
from mindloop.observer.synthesis.render import COGNITION, FOLLOW_UPS, render_synthesis
from mindloop.store import front_matter
from mindloop.store.clock import parse_instant

NOW: Any = parse_instant("2026-02-20T09:00:00Z")
USERS = {"ann": "Ann", "bob": "bob", "user-1": "*Z\u00fc_rich*"}


def findings(text: str = "they count", users: tuple[str, ...] = ("ann", "bob", "user-1")) -> Findings:
    found = Findings()
    found.lists["shared_hypotheses"] = [(text, list(users))]
    return found


def test_the_whole_file() -> None:
    """Header, heading, four sections, users by their display names."""
    assert render_synthesis(findings(), USERS, FOLLOW_UPS, "claude-code", NOW) == (
        "---\n"
        "type: follow-up-synthesis\n"
        "generated: '2026-02-20T09:00:00Z'\n"
        "user_count: 3\n"
        "host: claude-code\n"
        "---\n"
        "# Synthesis: 2026-02-20\n"
        "\n"
        "3 users were compared by computed features, without a word that anybody said.\n"
        "\n"
        "## Shared Hypotheses\n"
        "\n"
        "- they count\n"
        "  - Users: Ann, bob, \\*Z\u00fc\\_rich\\*\n"
        "\n"
        "## Convergent Complaints\n"
        "\n"
        "Nothing that enough users share.\n"
        "\n"
        "## Behavioral Clusters\n"
        "\n"
        "Nothing that enough users share.\n"
        "\n"
        "## Lifecycle Transitions\n"
        "\n"
        "Nothing that enough users share.\n"
    )


@pytest.mark.parametrize(("target", "kind"), [(FOLLOW_UPS, "follow-up-synthesis"), (COGNITION, "cognition-synthesis")])
def test_its_header_says_what_it_is_and_lists_nobody(target: str, kind: str) -> None:
    """A type of its own, and no `users` key, which would make somebody's prior follow-ups of it."""
    header, _ = front_matter.parse(render_synthesis(findings(), USERS, target, "claude", NOW))

    assert header == {"type": kind, "generated": "2026-02-20T09:00:00Z", "user_count": "3", "host": "claude"}


def test_a_rehearsal_says_so() -> None:
    """In the header and above everything else."""
    text = render_synthesis(findings(), USERS, FOLLOW_UPS, "rehearsal", NOW)

    assert "host: rehearsal\n" in text
    assert "> **REHEARSAL.** No model looked at these users" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![x](http://a/b.png)", "\\!\\[x\\](http://a/b.png)"),
        ("[[canvas/ann]]", "\\[\\[canvas/ann\\]\\]"),
        ("`code` *bold* _it_ ~~no~~", "\\`code\\` \\*bold\\* \\_it\\_ \\~\\~no\\~\\~"),
        ("a | b # c", "a \\| b \\# c"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("12) item", "12\\) item"),
        ("back \\ slash", "back \\\\ slash"),
        ("<!-- hidden -->", "&lt;\\!-- hidden --&gt;"),
    ],
)
def test_no_text_is_structure(text: str, shown: str) -> None:
    """Everything that Markdown would take for its own is shown as it was written."""
    assert f"\n- {shown}\n" in render_synthesis(findings(text), USERS, FOLLOW_UPS, "claude", NOW)


def test_a_name_that_could_not_be_one_stands_as_its_slug() -> None:
    """The run's files may have been changed by somebody."""
    text = render_synthesis(findings(users=("ann",)), {"ann": "x\n## bob"}, FOLLOW_UPS, "claude", NOW)

    assert "  - Users: x-bob-" in text
    assert "\n## bob" not in text


def test_every_list_has_its_section() -> None:
    """In one order."""
    text = render_synthesis(Findings(), USERS, FOLLOW_UPS, "claude", NOW)

    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {name.replace('_', ' ').title()}" for name in LISTS
    ]
