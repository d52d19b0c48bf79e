"""Coverage by entitlement, from exports of any spelling: who was owed what, who got it, whom it reached."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.sequence.loading import model_of
from mindloop.sequence.measure import measure
from mindloop.sequence.tables import MOST_BAD_ROWS
from mindloop.store.errors import Malformed
from tests.helpers.sequences import a_follow_up, base_model, changed

if TYPE_CHECKING:
    from mindloop.sequence.measured import Measured, StageCount

MESSAGES = "lead,workflow,t,status\n"
TURNS = "lead,workflow,t,status,direction\n"
STAMPS = "lead,prop,value,t\n"
RUNS = "lead,workflow,t,status,block_reason\n"
WELCOME = "l1,welcome_sent,true,1\n"


def measured(
    messages: str, stamps: str | None = None, runs: str | None = None, document: dict[str, Any] | None = None
) -> Measured:
    """Measure M0, or another model, on these tables."""
    model = model_of(document or base_model()).model
    chunks = [None if text is None else [text.encode()] for text in (stamps, runs)]
    return measure(model, [messages.encode()], *chunks)


def stage(found: Measured, name: str) -> StageCount:
    """The counts of one stage."""
    return next(one for one in found.stages if one.stage.id == name)


def table(found: Measured, name: str) -> tuple[int, int, int, int]:
    """The 2x2 table: entitled sent and unsent, unentitled sent and unsent."""
    return tuple(stage(found, name).as_json(with_stamps=True)["table"].values())


# Entitlement


def test_a_lead_who_was_owed_something_and_got_it_is_covered() -> None:
    """Stamped at 1, due at 25, sent at 50: entitled, sent and reached in stage 0, and nothing in the others."""
    found = measured(MESSAGES + "l1,e0_20,50,OK\n", STAMPS + WELCOME)
    assert table(found, "s0") == (1, 0, 0, 0)
    assert table(found, "s1") == table(found, "s2") == (0, 0, 0, 1)
    assert stage(found, "s0").rates() == (1.0, 1.0, 1.0, 1.0)
    assert stage(found, "s1").rates() == (None, None, None, None)


def test_a_failed_message_is_a_send_and_reaches_nobody() -> None:
    """FAILED counts as sent, not as reached; a later one that arrives reaches the lead."""
    failed = measured(MESSAGES + "l1,e0_20,50,FAILED\n", STAMPS + WELCOME)
    assert stage(failed, "s0").rates() == (1.0, 0.0, 1.0, 0.0)
    later = measured(MESSAGES + "l1,e0_20,50,FAILED\nl1,e0_120,150,PENDING\n", STAMPS + WELCOME)
    assert stage(later, "s0").rates() == (1.0, 1.0, 1.0, 1.0)
    assert (stage(later, "s0").sends, stage(later, "s0").failed) == (2, 1)


@pytest.mark.parametrize(
    ("exit_at", "entitled"),
    [(20, 0), (24, 0), (25, 0), (26, 1), (400, 1)],
)
@pytest.mark.parametrize("gate", ["age_qualified", "registration_link_sent", "lead_declined", "is_minor"])
def test_a_lead_who_leaves_before_the_tick_is_owed_nothing(gate: str, exit_at: int, entitled: int) -> None:
    """Due at 21, rounded up to the tick at 25: a later stamp or a stop up to that very minute ends the entitlement."""
    found = measured(MESSAGES + "l1,,500,OK\n", STAMPS + WELCOME + f"l1,{gate},true,{exit_at}\n")
    assert stage(found, "s0").entitled == entitled
    assert stage(found, "s0").entered == 1


def test_what_is_sent_after_the_exit_is_counted_as_such() -> None:
    """A stage-0 message to a lead who had moved on: sent, not owed, and one of the messages after the exit."""
    stamps = STAMPS + WELCOME + "l1,age_qualified,true,10\n"
    found = measured(MESSAGES + "l1,e0_120,150,OK\nl1,,151,OK\n", stamps)
    assert table(found, "s0") == (0, 0, 1, 0)
    assert stage(found, "s0").after_exit == 1


def test_the_end_of_the_export_ends_the_entitlement() -> None:
    """A lead whose follow-up is not due yet when the export ends is not counted as left out."""
    assert stage(measured(MESSAGES + "l1,,24,OK\n", STAMPS + WELCOME), "s0").entitled == 0
    assert stage(measured(MESSAGES + "l1,,25,OK\n", STAMPS + WELCOME), "s0").entitled == 1


def test_silence_gates_count_where_the_export_tells_who_wrote() -> None:
    """Inbound at 30: due at 65, so a stop at 40 leaves nothing owed. Without a direction the gate is left out."""
    stamps = STAMPS + WELCOME + "l1,lead_declined,true,40\n"
    told = measured(TURNS + "l1,,30,OK,inbound\nl1,,500,OK,outbound\n", stamps)
    assert stage(told, "s0").entitled == 0
    untold = measured(MESSAGES + "l1,,30,OK\nl1,,500,OK\n", stamps)
    assert stage(untold, "s0").entitled == 1
    assert any("silence gates are left out" in note for note in untold.notes)
    assert not any("silence" in note for note in told.notes)


def test_a_lead_who_keeps_writing_is_owed_nothing_until_it_stops() -> None:
    """Each inbound starts the silence anew; a lead who never wrote is not followed up while the policy is BLOCK."""
    writing = "".join(f"l1,,{minute},OK,in\n" for minute in range(1, 200, 30))
    end = "l1,,{},OK,out\n"
    assert stage(measured(TURNS + writing + end.format(219), STAMPS + WELCOME), "s0").entitled == 0
    assert stage(measured(TURNS + writing + end.format(220), STAMPS + WELCOME), "s0").entitled == 1
    mute = TURNS + "l1,,300,OK,out\n"
    assert stage(measured(mute, STAMPS + WELCOME), "s0").entitled == 0
    allowed = changed(base_model(), {"runtime.noInboundPolicy": "ALLOW"})
    assert stage(measured(mute, STAMPS + WELCOME, document=allowed), "s0").entitled == 1


def test_a_lead_who_writes_in_the_minute_of_the_tick_is_not_followed_up_in_it() -> None:
    """Silent since 5, so due at 40; the lead writes at 40: due at 75 instead, and a stop at 60 comes first."""
    stamps = STAMPS + WELCOME + "l1,lead_declined,true,60\n"
    turns = TURNS + "l1,,5,OK,in\nl1,,{},OK,in\nl1,,500,OK,out\n"
    assert stage(measured(turns.format(40), stamps), "s0").entitled == 0
    assert stage(measured(turns.format(41), stamps), "s0").entitled == 1


def test_the_first_true_counts_and_no_false() -> None:
    """A property that is written false, then true twice, is set at the first true."""
    stamps = STAMPS + "l1,welcome_sent,true,90\nl1,welcome_sent,false,1\nl1,welcome_sent,TRUE,60\nl1,welcome_sent,,2\n"
    found = measured(MESSAGES + "l1,,500,OK\n", stamps)
    assert [row["entered"] for row in found.rows()] == [60]


def test_offsets_may_count_from_the_first_write() -> None:
    """Under FIRST_WRITE an early false starts the clock, though nobody enters before the true."""
    stamps = STAMPS + "l1,welcome_sent,false,1\nl1,welcome_sent,true,60\nl1,lead_declined,true,70\n"
    messages = MESSAGES + "l1,,500,OK\n"
    assert stage(measured(messages, stamps), "s0").entitled == 0
    by_write = changed(base_model(), {"runtime.setAtPolicy": "FIRST_WRITE"})
    assert stage(measured(messages, stamps, document=by_write), "s0").entitled == 1


def test_rows_may_come_in_any_order() -> None:
    """Nothing depends on how an export is sorted."""
    messages = [
        f"l{at % 3},{one},{50 + at},OK,out\n" for at, one in enumerate(["e0_20", "e0_120", "e1_30", "", "nobody"])
    ]
    messages += [f"l{at % 3},,{at * 7},OK,in\n" for at in range(6)]
    stamps = [f"l{at},welcome_sent,true,{at}\n" for at in range(3)] + ["l1,age_qualified,true,30\n"]
    results = [
        measured(TURNS + "".join(messages[::step]), STAMPS + "".join(stamps[::step])).as_json() for step in (1, -1)
    ]
    assert results[0] == results[1]


def test_an_inactive_follow_up_owes_nothing_and_what_it_sent_counts() -> None:
    """Entitlement is by what runs; a message that went out went out."""
    document = changed(base_model(), {"followUps.e1_30.active": False})
    found = measured(MESSAGES + "l1,e1_30,90,OK\n", STAMPS + "l1,age_qualified,true,1\n", document=document)
    assert table(found, "s1") == (0, 0, 1, 0)


def test_a_workflow_may_go_by_its_name() -> None:
    """What one follow-up alone is called stands for its id."""
    document = changed(base_model(), {"followUps.e0_20.name": "Etapa 0 · 20 min"})
    found = measured(MESSAGES + "l1,Etapa 0 · 20 min,50,OK\n", STAMPS + WELCOME, document=document)
    assert table(found, "s0") == (1, 0, 0, 0)


def test_the_stages_stand_in_the_order_of_the_funnel() -> None:
    """However the document has them."""
    document = base_model()
    document["stages"].reverse()
    assert [one.stage.id for one in measured(MESSAGES, document=document).stages] == ["s0", "s1", "s2"]


# Without a property history


def test_without_a_property_history_coverage_is_over_entered_and_it_is_said() -> None:
    """Nobody is entitled or not: every lead of the messages counts as entered, and a note says what that means."""
    found = measured(MESSAGES + "l1,e0_20,50,OK\nl2,,10,OK\nl3,e0_20,9,FAILED\n")
    one = stage(found, "s0").as_json(with_stamps=False)
    assert (one["entered"], one["entitled"], one["table"], one["silent"]) == (3, None, None, None)
    assert one["coverage"] == {
        "entitled": {"sent": None, "reached": None},
        "entered": {"sent": 0.666667, "reached": 0.333333},
    }
    assert found.as_json()["basis"] == "entered"
    assert any("coverage is over entered leads alone" in note for note in found.notes)
    assert "coverage is over entered leads alone" in found.as_text()


# Runs


def test_runs_are_looks_and_their_factor_is_told() -> None:
    """560 COMPLETED runs for one message: a factor of 560, and no coverage of it."""
    runs = (
        RUNS
        + "".join(f"l1,e0_20,{5 * at},COMPLETED,\n" for at in range(560))
        + "l1,e0_20,1,FAILED,\nl1,zz,1,COMPLETED,\n"
    )
    found = measured(MESSAGES + "l1,e0_20,50,OK\n", STAMPS + WELCOME, runs)
    assert found.over_count is not None
    assert found.over_count.as_json() == {
        "runs": 562,
        "completed": 560,
        "sends": 1,
        "factor": 560.0,
        "ofUnknownWorkflows": 1,
        "followUps": {"e0_20": {"completed": 560, "sends": 1, "factor": 560.0}},
    }
    assert "a factor of 560.0 (R31)" in found.as_text()


def test_runs_alone_send_nothing() -> None:
    """Whatever the runs say, a lead without a message got none; the factor of no send is none."""
    found = measured(MESSAGES + "l1,,500,OK\n", STAMPS + WELCOME, "lead,workflow,t\nl1,e0_20,50\nl1,e0_20,55\n")
    assert table(found, "s0") == (0, 1, 0, 0)
    assert found.over_count is not None
    assert (found.over_count.factor, found.over_count.completed) == (None, 2)
    assert any("each counts as COMPLETED" in note for note in found.notes)


def test_who_was_left_out_is_named_with_what_blocked_most() -> None:
    """Of the runs between due and exit the most frequent reason; a lead at whom nobody looked says so."""
    stamps = STAMPS + "".join(f"l{at},welcome_sent,true,1\n" for at in (1, 2, 3))
    null = "CONDITION:bad_fit:EQUALS:NULL"
    runs = RUNS + "l1,e0_20,5,COMPLETED,ANCHOR_WAIT\n" * 9 + f"l1,e0_20,30,COMPLETED,{null}\n" * 2
    runs += "l1,e0_20,35,COMPLETED,NEEDS_ATTENTION\nl3,e0_20,30,COMPLETED,NEEDS_ATTENTION\n"
    found = measured(MESSAGES + "l3,e0_20,40,OK\nl1,,500,OK\n", stamps, runs)
    one = stage(found, "s0").as_json(with_stamps=True)
    assert one["silent"] == {"leads": ["l1", "l2"], "blockReasons": {null: 1, "NO_RUN": 1}}
    assert one["table"]["entitledUnsent"] == 2


def test_without_reasons_the_slot_stays_empty() -> None:
    """Nothing is guessed about what blocked a lead."""
    found = measured(MESSAGES + "l1,,500,OK\n", STAMPS + WELCOME, "lead,workflow,t,status\nl1,e0_20,50,COMPLETED\n")
    assert stage(found, "s0").block_reasons is None


@pytest.mark.parametrize(
    "text",
    [
        "lead,workflow_id,t,status,block_reason\nl1,e0_20,50,OK,\n",
        "run_id,lead,workflow_id,t,status\n1,l1,e0_20,50,OK\n",
        "lead,workflow_id,created_at,status\nl1,e0_20,50,COMPLETED\n",
    ],
)
def test_the_runners_table_is_refused_as_messages(text: str) -> None:
    """A table of runs in the place of the messages is an error that names R31, not a coverage."""
    with pytest.raises(Malformed) as refused:
        measured(text)
    assert "run" in refused.value.message
    assert "R31" in refused.value.hint


# What is odd


def test_unknown_workflows_and_properties_are_counted_and_said() -> None:
    """What the model does not have is left out by name; an empty workflow is nobody's."""
    found = measured(
        MESSAGES + "l1,zz,1,OK\nl1,zz,2,OK\nl1,yy,3,OK\nl1,,4,OK\nl1,NULL,5,OK\n", STAMPS + WELCOME + "l1,mood,true,3\n"
    )
    assert found.as_json()["unknownWorkflows"] == {"yy": 1, "zz": 2}
    assert found.as_json()["unknownProperties"] == {"mood": 1}
    assert "rows of 2 workflows that the model does not have, left out: zz 2, yy 1" in found.as_text()
    assert stage(found, "s0").sent == 0


def test_a_property_without_a_gate_is_no_unknown_one() -> None:
    """A property of the model that is neither stamp, stop nor anchor may have any value."""
    document = base_model()
    document["properties"].append({"id": "city", "type": "STRING"})
    found = measured(MESSAGES, STAMPS + "l1,city,Lima,3\n", document=document)
    assert found.unknown_properties == {}
    assert found.complete


def test_an_unknown_status_counts_as_reached_and_is_said() -> None:
    """By the definition, all but FAILED is reached; a word that nobody knows is told with its rows."""
    found = measured(MESSAGES + "l1,e0_20,50,ZAPPED\nl1,e0_20,51,zapped\n", STAMPS + WELCOME)
    assert stage(found, "s0").reached == 1
    assert [note for note in found.notes if "'zapped'" in note and "(2 rows)" in note]


def test_a_lead_with_a_bad_row_is_set_aside() -> None:
    """A row that cannot be read is named by its number, and its lead is counted nowhere; the others are."""
    stamps = STAMPS + WELCOME + "l2,welcome_sent,true,1\n"
    found = measured(MESSAGES + "l1,e0_20,50,OK\nl2,e0_20,soon,OK\nl3,,99,OK\n", stamps)
    assert (found.leads, found.set_aside, found.complete) == (2, 1, False)
    assert table(found, "s0") == (1, 0, 0, 1)
    (row,) = found.as_json()["badRows"]
    assert (row["table"], row["row"]) == ("messages", 3)
    assert "'soon'" in row["reason"]
    assert "left out: messages, row 3" in found.as_text()


def test_a_gate_that_is_neither_true_nor_false_sets_its_lead_aside() -> None:
    """A stamp of another value could mean anything, so nothing is concluded about that lead."""
    found = measured(MESSAGES + "l1,,500,OK\n", STAMPS + WELCOME + 'l1,bad_fit,"""true""",5\n')
    assert (found.leads, found.set_aside) == (0, 1)
    assert table(found, "s0") == (0, 0, 0, 0)


def test_a_row_without_a_lead_widens_every_count() -> None:
    """Nobody knows whose it was: the report says by how many leads each count may be wrong."""
    found = measured(MESSAGES + ",e0_20,50,OK\nl1,,500,OK\n", STAMPS + WELCOME)
    assert found.nameless == 1
    assert "1 of these rows name no lead: each count may be wrong by that many leads" in found.as_text()


def test_too_many_bad_rows_end_the_measurement() -> None:
    """Beyond the bound the table is refused: the message names the first rows and no figure is given."""
    bad = "".join(f"l{at},e0_20,x,OK\n" for at in range(MOST_BAD_ROWS))
    assert len(measured(MESSAGES + bad).bad_rows) == MOST_BAD_ROWS
    with pytest.raises(Malformed) as refused:
        measured(MESSAGES + bad + "l,e0_20,x,OK\n")
    assert "messages: more than 100 rows cannot be read, so nothing is measured: row 2:" in refused.value.message


def test_clocks_that_cannot_be_compared_are_an_error_that_names_both_rows() -> None:
    """Minutes beside instants, zone-less beside zoned, within a table or between two."""
    zoned, bare = "2026-11-30T10:00:00+01:00", "2026-11-30T10:00:00"
    for first, second in ((zoned, bare), (bare, zoned), ("5", zoned), (zoned, "5")):
        with pytest.raises(Malformed) as within:
            measured(MESSAGES + f"l1,,{first},OK\nl1,,{second},OK\n")
        assert "messages, row 3" in within.value.message
        assert "messages, row 2" in within.value.message
        with pytest.raises(Malformed) as between:
            measured(MESSAGES + f"l1,,{second},OK\n", STAMPS + f"l1,welcome_sent,true,{first}\n")
        assert "messages, row 2" in between.value.message
        assert "stamps, row 2" in between.value.message


def test_zones_are_normalised() -> None:
    """One instant in three zones is one instant: due at 10:25 UTC whatever the offset says."""
    stamps = STAMPS + "l1,welcome_sent,true,2026-11-30T12:01:00+02:00\n"
    stop = "l1,lead_declined,true,2026-11-30 05:2{}:00-05:00\n"
    messages = MESSAGES + "l1,,2026-11-30T23:00:00Z,OK\n"
    assert stage(measured(messages, stamps + stop.format(5)), "s0").entitled == 0
    found = measured(messages, stamps + stop.format(6))
    assert stage(found, "s0").entitled == 1
    assert [(row["entered"], row["exit"]) for row in found.rows()] == [("2026-11-30T10:01:00Z", "2026-11-30T10:26:00Z")]


def test_instants_without_a_zone_are_one_zone_and_it_is_said() -> None:
    """A whole export without zones is measured, with a note."""
    found = measured(MESSAGES + "l1,e0_20,2026-11-30 11:00,OK\n", STAMPS + "l1,welcome_sent,true,2026-11-30 10:00\n")
    assert table(found, "s0") == (1, 0, 0, 0)
    assert any("no instant has a zone" in note for note in found.notes)


# The result


def test_the_json_is_stable_and_says_everything() -> None:
    """The whole object for a small case, to the key."""
    found = measured(MESSAGES + "l1,e0_20,50,OK\nl2,,60,OK\n", STAMPS + WELCOME + "l2,welcome_sent,1,2\n")
    made = found.as_json()
    assert json.dumps(made) == json.dumps(
        measured(MESSAGES + "l1,e0_20,50,OK\nl2,,60,OK\n", STAMPS + WELCOME + "l2,welcome_sent,1,2\n").as_json()
    )
    assert {name: made[name] for name in ("basis", "complete", "leads", "setAside", "horizon", "overCount")} == {
        "basis": "entitled",
        "complete": True,
        "leads": 2,
        "setAside": 0,
        "horizon": 60,
        "overCount": None,
    }
    assert made["stages"][0] == {
        "stage": "s0",
        "entered": 2,
        "entitled": 2,
        "sent": 1,
        "reached": 1,
        "sends": 1,
        "failed": 0,
        "sendsAfterExit": 0,
        "coverage": {"entitled": {"sent": 0.5, "reached": 0.5}, "entered": {"sent": 0.5, "reached": 0.5}},
        "table": {"entitledSent": 1, "entitledUnsent": 1, "unentitledSent": 0, "unentitledUnsent": 0},
        "silent": {"leads": ["l2"], "blockReasons": None},
    }


def test_each_lead_has_a_row_for_each_stage_it_entered_or_got() -> None:
    """Entered, exit, entitled, sent, reached: by stage, then as read."""
    stamps = STAMPS + WELCOME + "l1,age_qualified,true,41\n"
    found = measured(MESSAGES + "l1,e0_20,40,FAILED\nl1,e1_30,90,OK\nl2,e2_60,95,OK\n", stamps)
    rows = [tuple(row.values()) for row in found.rows()]
    assert rows == [
        ("s0", "l1", 1, 41, True, True, False),
        ("s1", "l1", 41, None, True, True, True),
        ("s2", "l2", None, None, False, True, True),
    ]


def test_the_text_is_aligned_and_the_markdown_escaped() -> None:
    """Names from files are shown and not obeyed, in both."""
    document = base_model()
    document["stages"][0]["id"] = "s|*0*"
    document["followUps"] = [a_follow_up("e|\x1b[31m", 0, 20, 35) | {"stageId": "s|*0*"}]
    found = measured(MESSAGES + "l<1>\u202e,,500,OK\n", STAMPS + "l<1>\u202e,welcome_sent,true,1\n", document=document)
    text, markdown = found.as_text(), found.as_markdown()
    assert "silent in s|*0*: l<1>\\u202e" in text
    assert r"| s\|\*0\* | 1 | 1 | 0 | 0 |" in markdown
    assert r"l\<1\>\\u202e" in markdown
    assert "\u202e" not in text + markdown
    assert text.splitlines()[0].split()[:4] == ["stage", "entered", "entitled", "sent"]


def test_nothing_measured_is_no_error() -> None:
    """A header without rows: no leads, no rates, no division by nothing."""
    found = measured(MESSAGES, STAMPS, RUNS)
    assert found.leads == 0
    assert stage(found, "s0").rates() == (None, None, None, None)
    assert "leads: 0" in found.as_text()


# Rows that are torn, and exports that end with the runs


def test_a_stray_quote_sets_one_lead_aside_and_swallows_nobody() -> None:
    """The row of l0 is lost, so l0 is counted nowhere; the two behind it are covered."""
    stamps = STAMPS + "".join(f"l{at},welcome_sent,true,1\n" for at in range(3))
    found = measured(MESSAGES + '"l0,e0_20,55,OK\nl1,e0_20,55,OK\nl2,e0_20,55,OK\n', stamps)
    assert table(found, "s0") == (2, 0, 0, 0)
    assert (found.set_aside, [row.number for row in found.bad_rows]) == (1, [2])


def test_total_silence_is_seen_where_the_runs_go_on() -> None:
    """No message at all, a stamp at 32, looks from 60 to 155 that CAP blocked: entitled, unsent, CAP."""
    runs = RUNS + "".join(f"l1,e0_20,{minute},SKIPPED,CAP\n" for minute in range(60, 156, 5))
    found = measured(MESSAGES, STAMPS + "l1,welcome_sent,true,32\n", runs)
    assert (table(found, "s0"), stage(found, "s0").block_reasons) == ((0, 1, 0, 0), {"CAP": 1})
    assert found.as_json()["horizon"] == 155
