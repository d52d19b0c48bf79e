"""The rules of doctor, in the order in which it looks. A new rule is one function beside its subject and one row here.

A rule is ``check(look) -> Iterator[Finding]``. It only reads, it may give up with a ``MindloopError`` (that becomes a
finding), and it never keeps another rule from running.
"""

from __future__ import annotations

from mindloop.cli import isolation_checks
from mindloop.observer import score_checks
from mindloop.observer.batch import checks as checks_batch
from mindloop.observer.canvas import checks as checks_canvas
from mindloop.observer.chronicle import checks as checks_chronicle
from mindloop.observer.cognition import checks as checks_cognition
from mindloop.observer.growth import checks as checks_growth
from mindloop.observer.provenance import checks as checks_provenance
from mindloop.observer.provenance import quote_checks
from mindloop.observer.stops import checks as checks_stops
from mindloop.protocol import checks as checks_runs
from mindloop.skills.follow_up import checks as checks_follow_up
from mindloop.store import checks_files, checks_machine
from mindloop.store.checkup import ERROR, Finding, refused
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mindloop.store.checkup import Look

    Check = Callable[[Look], Iterator[Finding]]

RULES: tuple[tuple[str, Check], ...] = (
    ("settings", checks_machine.check_settings),
    ("packages", checks_machine.check_packages),
    ("file-system", checks_machine.check_file_system),
    ("writable", checks_machine.check_writable),
    ("isolation", isolation_checks.check_isolation),
    ("own-folders", checks_files.check_own_folders),
    ("journals", checks_files.check_journals),
    ("leftovers", checks_files.check_leftovers),
    ("kinds", checks_files.check_kinds),
    ("step-0", checks_follow_up.check_paths),
    ("score-command", checks_follow_up.check_score_command),
    ("provenance", checks_provenance.check_index),
    ("canvas", checks_canvas.check_canvases),
    ("quotes", quote_checks.check_quotes),
    ("chronicle", checks_chronicle.check_entries),
    ("chronicle-index", checks_chronicle.check_index),
    ("growth", checks_growth.check_growth),
    ("cognition", checks_cognition.check_cognition),
    ("proposed-matches", checks_growth.check_proposals),
    ("stops", checks_stops.check_stops),
    ("scores", score_checks.check_scores),
    ("batches", checks_batch.check_batches),
    ("runs", checks_runs.check_runs),
    ("run-items", checks_runs.check_items),
    ("run-names", checks_runs.check_run_names),
    ("provenance-users", checks_provenance.check_users),
    ("wallets", checks_canvas.check_shared_wallets),
    ("template", checks_canvas.check_template_rests),
    ("headers", checks_canvas.check_headers),
    ("kept", checks_files.check_kept),
    ("foreign-locks", checks_files.check_foreign_locks),
)


class Told:
    """A finding and the rule that made it."""

    __slots__ = ("finding", "rule")

    def __init__(self, rule: str, finding: Finding) -> None:
        self.rule = rule
        self.finding = finding


def examine(
    look: Look, rules: tuple[tuple[str, Check], ...] = RULES, progress: Callable[[str, int, int], None] | None = None
) -> list[Told]:
    """Run the rules; what several rules say in the same words of the same place is said once.

    Args:
        look: the examination.
        rules: name and function of each.
        progress: called with (label, rules begun, all rules).
    """
    found: dict[tuple[str, int | None, str], Told] = {}
    for number, (name, check) in enumerate(rules):
        if progress:
            progress("looking", number, len(rules))
        for finding in _run(name, check, look):
            finding.what = finding.what.replace(f"{look.ws.root}/", "")
            found.setdefault((finding.path, finding.line, finding.what), Told(name, finding))
    return list(found.values())


def _run(name: str, check: Check, look: Look) -> Iterator[Finding]:
    try:
        yield from check(look)
    except MindloopError as error:
        yield refused(error)
    except Exception as error:  # noqa: BLE001 - a rule of ours that breaks must not hide what the others see
        what = f"the rule {name!r} itself failed ({type(error).__name__}: {error}); please report it"
        yield Finding(ERROR, "", None, what)
