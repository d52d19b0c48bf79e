"""Steps 2a to 2i: from one canvas to one packet."""

from __future__ import annotations

from mindloop.observer.answer.rehearsal import default_answer
from mindloop.observer.batch.prior import prior_section
from mindloop.observer.canvas.triggers import find_triggers, skip_reason
from mindloop.observer.chronicle.releases import feedback_day, summary_text
from mindloop.observer.chronicle.temporal import temporal_lookup
from mindloop.observer.packet.manifest import manifest, violations, wiki_mentions
from mindloop.observer.packet.prompt import PacketParts, assemble
from mindloop.observer.provenance.quotes import registry
from mindloop.observer.score import parse_snapshot
from mindloop.protocol.gap import Gap
from mindloop.protocol.step import Ask, Done, Skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.skills.follow_up.case import Case, FollowUp

MANIFEST_VIOLATION = "prompt_manifest_violation"


def extract_front_matter(_context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2a: the canvas parses and its user can be named safely, or the user is left out with the reason."""
    if case.file.canvas is None:
        return Skip("invalid_canvas", case.file.error.message if case.file.error else "the canvas does not parse")
    case.canvas = case.file.canvas
    case.user = case.canvas.user
    case.log += case.canvas.warnings
    return Done()


def check_triggers(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2b: is there anything to follow up on?"""
    case.triggers = find_triggers(case.canvas, context.now.date(), context.batches.last(case.user))
    if not case.triggers:
        return Skip(skip_reason(case.canvas), "nothing to follow up on")
    return Done(", ".join(trigger["text"] for trigger in case.triggers[:3]))


def read_body(_context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2c: one canvas at a time; from here on only this user's data is looked at."""
    return Done(f"{len(case.canvas.body)} characters")


def build_registry(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2d: the quotes whose words still have the hash that was recorded."""
    case.records = context.index.for_user(case.user)
    strict = bool(context.settings.get("observer.provenance.strict"))
    case.registry = registry(case.canvas.body, case.records, strict=strict)
    verified = sum(quote["hash_verified"] for quote in case.registry)
    case.log += _borrowed(context, case)
    if not verified:
        return Skip("no_verified_quotes", f"0 of {len(case.registry)} quotes carry a hash that fits their words")
    return Done(f"{verified} of {len(case.registry)} quotes verified")


def _borrowed(context: FollowUp, case: Case) -> list[str]:
    """Quotes whose words are right but that the index knows from somebody else only; nobody else is named here."""
    foreign = [
        quote["hash"]
        for quote in case.registry
        if quote["hash"] and not quote["in_index"] and context.index.others_with(quote["hash"], case.user)
    ]
    return [f"2d the index has {digest} for another user only" for digest in foreign]


def build_temporal_table(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2e: which quotes may be tied to a release."""
    case.temporal = temporal_lookup(case.records, context.windows)
    allowed = sum(entry["version_attribution_allowed"] for entry in case.temporal.values())
    return Done(f"{allowed} of {len(case.temporal)} records may name a release")


def take_score(_context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2f: the fresh snapshot, fetched for many users at once before this step."""
    if case.score.problem:
        return Skip("score_api_error", case.score.problem)
    case.score_raw = case.score.raw
    case.snapshot = parse_snapshot(case.score_raw)
    return Done()


def load_prior(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2g: what this user was asked before."""
    case.prior, case.prior_count = prior_section(context.workspace, case.user, context.batches)
    return Done(f"{case.prior_count} earlier sections")


def query_chronicle(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2g.6: the releases around the user's last words; none of it can fail the user."""
    around = feedback_day(case.canvas.last_enriched, context.now.date())
    window = context.settings.get("observer.golden_path.chronicle_window_days")
    case.chronicle = summary_text(context.chronicle_index, around, window)
    return Done()


def assemble_prompt(context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2h: the prompt in one pass, its manifest, and the assertions that no one else is in it."""
    from mindloop.observer.cognition.render import render  # only users with a sidecar need it

    case.prompt = assemble(
        PacketParts(
            user=case.user,
            canvas_basename=case.canvas.basename,
            canvas_body=case.canvas.body,
            score_snapshot=case.score_raw,
            quotes=case.registry,
            temporal=case.temporal,
            chronicle=case.chronicle,
            prior=case.prior,
            growth=case.growth_section,
            cognition=render(case.cognition) if case.cognition else None,
        )
    )
    cognition = case.cognition or {}
    case.manifest = manifest(
        canvas_path=case.canvas.path,
        wallet=case.canvas.wallet,
        user=case.user,
        quotes=case.registry,
        temporal=case.temporal,
        prior_followup_count=case.prior_count,
        growth_summary_present=case.growth_section is not None,
        cognition_status=case.cognition_status,
        fear_count=len(cognition.get("fears", [])),
        steering_target_count=len(cognition.get("steering_targets", [])),
    )
    own = (case.canvas.basename, case.canvas.wallet, case.user)
    links = wiki_mentions(case.prompt, case.canvas.basename, context.others)
    case.log += [f"2h the canvas links to {name}" for name in links]
    hashes = {*case.temporal, *(quote["hash"] for quote in case.registry if quote["hash"])}
    broken = violations(case.prompt, own, context.others, case.prior, hashes)
    if broken:
        return Skip(MANIFEST_VIOLATION, "; ".join(broken))
    return Done(f"{len(case.prompt)} characters")


def ask_writer(_context: FollowUp, case: Case) -> Done | Skip | Ask:
    """2i: the one judgment: an isolated writer, without tools, sees this packet and nothing else."""
    default = default_answer(case.user, case.registry, case.triggers)
    return Ask(Gap(case.canvas.slug, case.prompt, schema="follow-up-answer", default=default))
