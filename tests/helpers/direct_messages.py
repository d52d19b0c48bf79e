"""Exports of direct messages for tests: Discord's JSON, plain logs, Twitter archives, as bytes that are opened anew."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from mindloop.observer.exports.reading import open_export

if TYPE_CHECKING:
    from mindloop.observer.exports.reading import Export

BOB, US = ("1", "bob", "Bobby"), ("2", "me", "Keeper")
"""Id, name and nickname of the user and of us."""


def entry(number: int, text: str, author: tuple[str, str, str] = BOB, when: str = "", **more: Any) -> dict[str, Any]:
    """One message of a Discord export; without a time each comes a minute after the one before it."""
    identity, name, nickname = author
    return {
        "id": str(10**18 + number),
        "type": "Default",
        "timestamp": when or f"2026-02-11T{10 + number // 60:02d}:{number % 60:02d}:00.5+00:00",
        "timestampEdited": None,
        "content": text,
        "author": {"id": identity, "name": name, "discriminator": "0000", "nickname": nickname, "isBot": False},
        "attachments": [],
        "reactions": [],
        **more,
    }


def discord(*entries: dict[str, Any]) -> bytes:
    """A whole export."""
    channel = {"id": "55", "type": "DirectTextChat", "name": "bob"}
    value = {"guild": {"id": "0"}, "channel": channel, "messages": list(entries), "messageCount": len(entries)}
    return json.dumps(value, indent=2).encode()


def said(*texts: str, author: tuple[str, str, str] = BOB) -> bytes:
    """An export in which one person says all of it, a minute apart."""
    return discord(*(entry(number, text, author) for number, text in enumerate(texts)))


def opened(data: bytes, name: str = "dm.json") -> Export:
    """The export of these bytes."""
    return open_export(lambda: io.BytesIO(data), name)
