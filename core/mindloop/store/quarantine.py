"""Bad lines are moved aside with their reason, never dropped; only ``doctor --fix`` does so."""

from __future__ import annotations

from mindloop.store import records
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.store.records import Line
    from mindloop.store.transaction import Transaction

SUFFIX = ".quarantine"


def set_aside(tx: Transaction, rel: str, lines: Iterable[Line], reason: str = "") -> int:
    """Move lines of a JSONL file to ``<rel>.quarantine``; every other byte of the file stays.

    Args:
        tx: a transaction over the scope of the file.
        rel: the file.
        lines: lines of its present content, as ``records.scan`` gave them.
        reason: why; default each line's own reason.

    Returns:
        How many lines were moved.

    Raises:
        WrongInput: a line is not where it says it is: the file changed since it was scanned.
    """
    data = tx.read(rel) or b""
    moved = sorted(lines, key=lambda line: line.offset)
    kept = []
    position = 0
    for line in moved:
        end = line.offset + len(line.raw)
        if line.offset < position or data[line.offset : end] != line.raw:
            raise WrongInput(f"{rel}: line {line.number} changed since it was read", "Run the command again.")
        kept.append(data[position : line.offset])
        position = end + 1 if data[end : end + 1] == b"\n" else end
    if moved:
        tx.write(rel, b"".join([*kept, data[position:]]))
        tx.append(rel + SUFFIX, b"".join(_record(line, reason) + b"\n" for line in moved))
    return len(moved)


def _record(line: Line, reason: str) -> bytes:
    import base64  # only for a repair

    entry: dict[str, object] = {"line": line.number, "offset": line.offset, "reason": reason or line.reason or ""}
    entry["sha256"] = sha256_hex(line.raw)
    try:
        return records.encode({**entry, "raw": line.raw.decode("utf-8")})
    except (UnicodeDecodeError, WrongInput):
        pass  # not text, or too long for one record
    coded = base64.b64encode(line.raw).decode("ascii")
    pieces = [coded[start : start + _PIECE] for start in range(0, len(coded), _PIECE)] or [""]
    return b"\n".join(
        records.encode({**entry, "piece": number, "pieces": len(pieces), "raw_base64": piece})
        for number, piece in enumerate(pieces, 1)
    )


_PIECE = 500_000
