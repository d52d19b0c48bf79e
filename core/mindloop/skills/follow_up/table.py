"""The step table of /follow-up: its contents, its skip table and its documentation are this one object."""

from __future__ import annotations

from mindloop.protocol.step import ONCE, STOP, Step
from mindloop.protocol.walk import Table
from mindloop.skills.follow_up import (
    answer_steps,
    batch_steps,
    gate_steps,
    gather,
    growth_steps,
    synthesis_step,
    user_steps,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SCORED, REFRESHED, ANSWERED = "2f", "2c.5", "4a"
"""Where a walk is taken up again: when the scores are there, when a stale cognition was thought about (from the start),
and when the answer is there."""


def with_growth(modes: dict[str, Any]) -> bool:
    """Only where the growth loop is on."""
    return bool(modes["growth"])


def with_synthesis(modes: dict[str, Any]) -> bool:
    """Only where the run was asked for what its users share."""
    return bool(modes.get("synthesize"))


def with_cognition(modes: dict[str, Any]) -> bool:
    """Only where cognition is on."""
    return bool(modes["cognition"])


FOLLOW_UP = Table(
    "follow-up",
    (
        Step("0", "Validate external dependencies", gather.check_dependencies, scope=ONCE, on_error=STOP),
        Step("1", "Load shared metadata", gather.load_shared, scope=ONCE, on_error=STOP),
        Step("2a", "Extract front matter", user_steps.extract_front_matter, failure="invalid_canvas"),
        Step("2a.1", "Leave out users who are stopped", gate_steps.check_stop, failure=gate_steps.STOPPED),
        Step("2b", "Check triggers", user_steps.check_triggers, failure="invalid_canvas"),
        Step("2b.1", "Leave unanswered users in peace", gate_steps.check_silence, failure=gate_steps.SILENCE_GATE),
        Step("2c", "Read the canvas body", user_steps.read_body, failure="invalid_canvas"),
        Step("2d", "Build the verified quote registry", user_steps.build_registry, failure="no_verified_quotes"),
        Step("2e", "Build the temporal lookup table", user_steps.build_temporal_table),
        Step("2f", "Fetch the score snapshot", user_steps.take_score, failure="score_api_error"),
        Step("2c.5", "Load the cognition state", growth_steps.load_cognition, runs_when=with_cognition),
        Step("2g", "Load prior follow-ups", user_steps.load_prior),
        Step("2g.5", "Load the growth state", growth_steps.load_growth, runs_when=with_growth),
        Step("2g.6", "Query the chronicle", user_steps.query_chronicle),
        Step("2h", "Assemble the prompt and assert its manifest", user_steps.assemble_prompt),
        Step("2i", "Ask the isolated writer", user_steps.ask_writer),
        Step("4a", "Parse the answer", answer_steps.parse, failure="subagent_parse_error"),
        Step(
            "4a.1",
            "Leave out users who were stopped meanwhile",
            gate_steps.check_stop_again,
            failure=gate_steps.STOPPED,
        ),
        Step(
            "4a.2",
            "Leave out users who were written to meanwhile",
            gate_steps.check_silence_again,
            failure=gate_steps.SILENCE_GATE,
        ),
        Step("4b", "Verify quote hashes and texts", answer_steps.verify_quotes),
        Step("4c", "Verify temporal claims", answer_steps.verify_claims),
        Step("4d", "Strip version references, insert claims", answer_steps.insert_claims),
        Step("4f", "Report steering coverage", answer_steps.report_coverage),
        Step("4e", "Keep users with messages", answer_steps.keep_survivors),
        Step("5", "Assemble the batch file", batch_steps.assemble_batch, scope=ONCE, on_error=STOP),
        Step(
            "5.5",
            "Record the messages in growth",
            batch_steps.record_growth,
            scope=ONCE,
            on_error=STOP,
            runs_when=with_growth,
        ),
        Step(
            "6",
            "Ask what the users share",
            synthesis_step.ask_synthesis,
            scope=ONCE,
            runs_when=with_synthesis,
            failure="synthesis_failed",
        ),
    ),
)
