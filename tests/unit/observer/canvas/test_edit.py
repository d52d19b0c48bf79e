"""Writing into a canvas without moving anything else."""

from __future__ import annotations

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.edit import insert_quote, new_canvas, quote_lines
from mindloop.observer.canvas.parse import parse_canvas
from mindloop.observer.provenance.quotes import registry
from mindloop.store import front_matter

HEAD = "---\nuser: bob\n---\n"
NEW = ["> x", "<!-- c -->"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("## Quotes Library\n", "## Quotes Library\n\n> x\n<!-- c -->\n"),
        ("## Quotes Library", "## Quotes Library\n\n> x\n<!-- c -->\n"),
        ("## Quotes Library\n\n> a\n\n\n## Next\nz", "## Quotes Library\n\n> a\n\n> x\n<!-- c -->\n\n\n## Next\nz"),
        ("## Quotes Library\n## Next\n", "## Quotes Library\n\n> x\n<!-- c -->\n## Next\n"),
        (
            "## 3. Quotes Library (DMs)\n### a\n> a\n# Z\n",
            "## 3. Quotes Library (DMs)\n### a\n> a\n\n> x\n<!-- c -->\n# Z\n",
        ),
        (
            "```\n## Quotes Library\n```\nz\n",
            "```\n## Quotes Library\n```\nz\n\n## Quotes Library\n\n> x\n<!-- c -->\n",
        ),
        ("text  \n\n", "text  \n\n## Quotes Library\n\n> x\n<!-- c -->\n\n"),
        ("", "\n\n## Quotes Library\n\n> x\n<!-- c -->\n"),
    ],
)
def test_where_a_quote_goes(body: str, expected: str) -> None:
    """A quote goes to the end of the library, or of the file with a new library; all else stays."""
    assert insert_quote(HEAD + body, NEW) == (HEAD + expected if body else HEAD.rstrip("\n") + expected + "")


def test_line_ends_are_kept() -> None:
    """A CRLF file stays one."""
    text = "\ufeff---\r\nuser: bob\r\n---\r\n## Quotes Library\r\n\r\n> a\r\n"
    assert insert_quote(text, NEW) == text[:-2] + "\r\n\r\n> x\r\n<!-- c -->\r\n"


def test_quote_lines() -> None:
    """Every line of a quote is marked, the attribution is one line, the comment stands below."""
    assert quote_lines(" a\n\nb <!-- c\r\n> d\u2028e ", "dm\n<!-- x", "f" * 64) == [
        '> "a',
        ">",
        "> b &lt;!-- c",
        '> > d e"',
        "> — dm &lt;!-- x",
        f"<!-- prov:sha256:{'f' * 64} -->",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "— signed, me",
        "a\n— b\n— c",
        '"quoted"',
        'he said "x" — then left',
        "“smart”",
        "'",
        '"',
        "-->",
        "<!-- prov:sha256:" + "a" * 64 + " -->",
        "a <!-- prov:sha256:" + "a" * 64 + " --> b\n<!-- x",
        "&lt;!-- & &amp;",
        "# heading\n---\n```\ncode",
        "> nested\n>> twice",
        "[FU:deadbeef]",
        "a\n\n\n\nb",
        "\ta\x0bb\x0cc\x1cd\x85e\u2028f\u2029g",
        "| a | b |",
        "\u0301 mark first",
        "مرحبا \u200f> x",
        "👩\u200d👩\u200d👧 gm",
        "x" * 150_000 + '" — y',
    ],
)
def test_whatever_was_said_is_proven(text: str) -> None:
    """A quote written by us is found again with exactly its hash, and nothing else is."""
    digest = content_hash(text)
    body = insert_quote(new_canvas("bob", None, "2026-02-11T00:00:00Z"), quote_lines(text, "dm", digest))
    entries = registry(parse_canvas("c/bob-canvas.md", body).body, [])
    assert [(entry["hash"], entry["hash_verified"]) for entry in entries] == [(digest, True)]


def test_new_canvas() -> None:
    """A new canvas has the template's header and headings, and says nothing yet."""
    text = new_canvas("0123", f"0x{'a' * 40}", "2026-02-11T00:00:00Z")
    made = parse_canvas("c/bob-canvas.md", text)
    assert front_matter.parse(text)[0] == {
        "type": "user_canvas",
        "user": "0123",
        "wallet": f"0x{'a' * 40}",
        "lifecycle_state": "new_user",
        "schema_version": "2",
        "created": "2026-02-11T00:00:00Z",
        "updated": "2026-02-11T00:00:00Z",
        "last_enriched": None,
        "enrichment_trigger": "observe",
        "score_snapshot": None,
    }
    assert [line for line in made.body.split("\n") if line.startswith("#")] == [
        "# 0123 Canvas",
        "## User Profile",
        "## Score Context",
        "## Level 3 Hypotheses",
        "## Future Promises (Unvalidated)",
        "## Journey Fragments",
        "## Expectation Gaps",
        "## Conversation Frameworks",
        "## Quotes Library",
        "## Linked Artifacts",
        "## Feedback Entries (from UI)",
    ]
    assert (made.hypotheses, made.promises, made.gaps, made.has_quotes, made.warnings) == ([], [], [], False, [])


@pytest.mark.parametrize("user", ["a|b", "<!-- x", "x{cell}", "{wallet} x", "no", "# x", "`x`", "🦊", "---"])
def test_odd_names_stay_in_their_place(user: str) -> None:
    """A name opens no comment, no cell and no field."""
    made = parse_canvas("c/x-canvas.md", new_canvas(user, None, "2026-02-11T00:00:00Z"))
    assert (made.user, made.body.count("\n## "), "<!--" in made.body) == (user, 10, False)
