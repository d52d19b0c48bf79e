"""The page: stands alone, can be read by eye, ear and keyboard, and nobody's name becomes mark-up."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mindloop.sequence.loading import model_of
from mindloop.sequence.matrix import matrix_of
from mindloop.sequence.page import page
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from mindloop.sequence.timeline import CLASSES, MOST_LEADS, read_timeline
from mindloop.store.errors import Malformed
from tests.helpers.pages import Page
from tests.helpers.sequences import a_scenario, base_model, changed, golden_model, inbound, truth, without

HOSTILE = "\"><script>alert(1)</script><img src=x onerror=y>' &amp; \u202e\x00\n]]>"


def a_send(minute: int, lead: str, follow_up: str, status: str = "OK", reason: str | None = None) -> dict[str, Any]:
    """One message of a timeline."""
    return {"t": minute, "lead": lead, "followUp": follow_up, "status": status, "reason": reason}


def an_event(minute: int, lead: str, name: str, *follow_ups: str) -> dict[str, Any]:
    """One event of a timeline."""
    return {"t": minute, "lead": lead, "class": name, "followUps": list(follow_ups)}


def a_timeline() -> dict[str, Any]:
    """Two leads: one gets a wrong and a failed message, one gets nothing."""
    return {
        "sends": [a_send(55, "l1", "e0_20"), a_send(150, "l1", "e0_120", "FAILED", "MESSAGE_WINDOW_EXPIRED")],
        "events": [an_event(55, "l1", "LAG_CROSS", "e0_20"), an_event(150, "l1", "WINDOW_FAIL", "e0_120")],
        "silent": [{"lead": "l2", "followUp": "e0_20", "reason": "CONDITION:bad_fit:EQUALS:NULL", "cause": "NULL"}],
        "counts": {"runs": 240, "attempts": 2, "messages": 2, "reached": 1},
    }


def made(document: dict[str, Any] | None = None, timeline: Any = None) -> str:
    """The page of a document."""
    return page(matrix_of(model_of(document or base_model()).model), timeline)


def test_the_page_stands_alone() -> None:
    """Nothing is loaded, linked or run: no script, no address but a name space, and a policy says so."""
    text = made(timeline=a_timeline())
    read = Page(text)
    assert read.problems == []
    assert not {"script", "link", "img", "iframe", "object", "use", "image"} & set(read.tags)
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'; style-src 'unsafe-inline'" in read.values("content")
    assert all(value.startswith("#") for value in read.values("href"))


def test_the_table_can_be_read_by_ear_and_keyboard() -> None:
    """Headers have scopes, the table a caption; whatever scrolls takes the focus and has a name."""
    read = Page(made(timeline=a_timeline()))
    scopes = read.values("scope")
    assert scopes.count("row") >= 4
    assert scopes.count("rowgroup") == 3
    assert scopes.count("col") >= 9
    assert "caption" in read.tags
    assert read.values("lang") == ["en"]
    named = [tag for tag, name, _ in read.attributes if name in {"aria-labelledby", "aria-label"}]
    assert read.values("role").count("region") == read.values("tabindex").count("0") == 3
    assert len(named) >= 3
    labels = [label for value in read.values("aria-labelledby") for label in value.split()]
    assert set(labels) <= set(read.values("id"))
    assert len(set(read.values("id"))) == len(read.values("id"))


def test_light_dark_and_paper_each_have_their_colours() -> None:
    """The page follows what the reader's system asks for."""
    text = made()
    assert "@media (prefers-color-scheme:dark)" in text
    assert "@media print" in text
    assert "color-scheme:light dark" in text


def test_a_missing_cell_is_a_word_and_not_a_colour_alone() -> None:
    """MISSING stands in the cell, in the legend with its meaning, and in the verdict."""
    read = Page(made(without(base_model(), "e0_20", "age_qualified")))
    assert read.text.count("MISSING") == 3
    assert "wrong cells: 1 MISSING." in read.text
    assert ("td", "class", "bad") in read.attributes


def test_nobodys_name_becomes_mark_up() -> None:
    """Ids, names and labels of a model, and everything in a timeline, show as they are written."""
    document = changed(base_model(), {"agent.name": HOSTILE, "stages.s0.label": HOSTILE, "followUps.e0_20.id": HOSTILE})
    document["stops"].append({"propertyId": HOSTILE})
    timeline = {
        "sends": [a_send(5, HOSTILE, HOSTILE, "FAILED", HOSTILE)],
        "events": [an_event(5, HOSTILE, HOSTILE, HOSTILE)],
        "silent": [{"lead": HOSTILE, "followUp": HOSTILE, "reason": HOSTILE}],
    }
    text = made(document, timeline)
    read = Page(text)
    assert read.problems == []
    assert not {"script", "img"} & set(read.tags)
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    assert "alert(1)" in read.text
    assert "\u202e" not in text
    assert "\x00" not in text


def test_equal_input_gives_equal_bytes() -> None:
    """Two pages of one model and timeline are the same, whatever the order of the timeline's parts."""
    timeline = a_timeline()
    turned = {name: part[::-1] if isinstance(part, list) else part for name, part in reversed(timeline.items())}
    assert made(timeline=timeline) == made(timeline=turned)


def test_a_golden_timeline_is_drawn() -> None:
    """The cross-stage timeline: three sends at 55, 90 and 150, the wrong ones ringed and named in words."""
    document = without(without(golden_model(), "e0_20", "age_qualified"), "e0_120", "age_qualified")
    events = [*inbound(0), truth(1, "welcome_sent"), *inbound(40), truth(41, "age_qualified")]
    timeline = simulate(model_of(document).model, scenario_of(a_scenario(events)).scenario).as_document()
    read = Page(made(document, timeline))
    assert "55 LAG_CROSS" in read.texts
    assert "150 CROSS_STAGE" in read.texts
    assert "90" in read.texts
    assert CLASSES["CROSS_STAGE"] in read.text
    assert read.tags.count("circle") == 4  # three sends and the legend
    assert "ring cross" in read.values("class")
    assert "ring cross lag" in read.values("class")


def test_failures_and_silences_are_drawn_with_their_reasons() -> None:
    """A cross and the word FAILED; a dashed line and what held the follow-up back."""
    read = Page(made(timeline=a_timeline()))
    assert "150 FAILED MESSAGE_WINDOW_EXPIRED WINDOW_FAIL" in read.texts
    assert "never sent: CONDITION:bad_fit:EQUALS:NULL (NULL)" in read.texts
    assert {"failed", "silent", "sent"} <= set(read.values("class"))
    assert "240 runs, 2 attempts, 2 messages, 1 reached" in read.texts


def test_every_class_is_explained_where_it_occurs() -> None:
    """The legend has each class of the drawing, the unknown too, and no other."""
    events = [an_event(at * 10, "l1", name, "e0_20") for at, name in enumerate([*CLASSES, "SOMETHING_NEW"])]
    timeline = read_timeline({"events": events})
    assert timeline.classes() == [*CLASSES, "SOMETHING_NEW"]
    read = Page(made(timeline={"events": events}))
    assert all(meaning in read.text for meaning in CLASSES.values())
    assert "a class that this page does not know" in read.text


def test_labels_never_lie_on_each_other() -> None:
    """Messages a minute apart get lines of their own; no label covers another, nor another's mark."""
    sends = [a_send(minute, "l1", "e0_20") for minute in (*range(90, 110), 500, 505, 510, 1000)]
    timeline = read_timeline({"sends": sends})
    (lane,) = timeline.lanes
    (row,) = lane.rows.values()
    boxes = [(mark.track, *mark.span) for mark in row.marks.values()]
    for at, (track, start, end) in enumerate(boxes):
        others = [(s, e) for t, s, e in boxes[:at] if t == track]
        assert all(end <= s or start >= e for s, e in others)
        if track == 0:
            assert all(end <= mark.x - 12 or start >= mark.x + 12 for mark in row.marks.values())
    assert min(start for _, start, _ in boxes) >= 0


def test_a_crowd_is_cut_and_said() -> None:
    """More leads than can be drawn are counted below the drawing."""
    sends = [a_send(5, f"l{at:03}", "e0_20") for at in range(MOST_LEADS + 7)]
    assert f"7 more leads are not drawn, at most {MOST_LEADS} are." in Page(made(timeline={"sends": sends})).text


def test_an_empty_timeline_says_so() -> None:
    """Nothing sent and nothing owed is a sentence, not an empty drawing."""
    read = Page(made(timeline={"sends": [], "events": [], "silent": [], "counts": {}}))
    assert "Nothing was sent, and nothing was owed." in read.text
    assert read.problems == []


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([], "/: expected an object"),
        ({"sends": {}}, "/sends: expected an array"),
        ({"sends": [1]}, "/sends/0: expected an object"),
        ({"sends": [{"t": -1, "lead": "l", "followUp": "f"}]}, "/sends/0/t: found -1"),
        ({"sends": [{"t": True, "lead": "l", "followUp": "f"}]}, "/sends/0/t: found True"),
        ({"sends": [{"t": 1, "lead": "l"}]}, "/sends/0/followUp: found None"),
        ({"events": [{"t": 1, "lead": "l", "class": "X", "followUps": "f"}]}, "/events/0/followUps: expected an array"),
        ({"silent": [{"lead": 3, "followUp": "f"}]}, "/silent/0/lead: found 3"),
        ({"counts": []}, "/counts: expected an object"),
    ],
)
def test_what_is_no_timeline_is_refused_at_its_pointer(document: Any, place: str) -> None:
    """The error names the place and what was expected."""
    with pytest.raises(Malformed) as refused:
        made(timeline=document)
    assert place in refused.value.message
