"""Writes exports of any size, message by message, as DiscordChatExporter does: for measurements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = 1_700_000_000


def write_big_export(path: Path, messages: int, *, shared: bool = False, padding: int = 0, token: str = "") -> int:
    """Write an export of so many messages and return its bytes.

    Args:
        path: where it goes.
        messages: how many.
        shared: whether every second message is the operator's; else all are bob's.
        padding: characters that each message has beside its text.
        token: a reply token that every thousandth message of the operator's carries.
    """
    head = '{"guild": {"id": "0"}, "channel": {"id": "55", "name": "bob"}, "messages": [\n'
    with open(path, "w", encoding="utf-8") as file:
        file.write(head)
        entries = enumerate(_messages(messages, shared=shared, padding=padding, token=token))
        file.writelines((",\n" if place else "") + json.dumps(one) for place, one in entries)
        file.write(f'\n], "messageCount": {messages}}}\n')
    return path.stat().st_size


def _messages(count: int, *, shared: bool, padding: int, token: str) -> Iterator[dict[str, Any]]:
    from datetime import UTC, datetime

    people = [_person("1", "bob", padding), _person("2", "keeper", padding)]
    for number in range(count):
        instant = datetime.fromtimestamp(START + number * 60, UTC)
        yield {
            "id": str(10**18 + number),
            "type": "Default",
            "timestamp": instant.isoformat(timespec="milliseconds"),
            "timestampEdited": None,
            "callEndedTimestamp": None,
            "isPinned": False,
            "content": f"i looked at entry {number} twice and the number did not move, so i went back to my friends"
            + (f" [FU:{token}]" if token and number % 2_000 == 1 else ""),
            "author": people[number % 2 if shared else 0],
            "attachments": [],
            "embeds": [],
            "stickers": [],
            "reactions": [],
            "mentions": [],
        }


def _person(identity: str, name: str, padding: int) -> dict[str, Any]:
    return {
        "id": identity,
        "name": name,
        "discriminator": "0000",
        "nickname": name.title(),
        "color": None,
        "isBot": False,
        "roles": [],
        "avatarUrl": "https://cdn.example/" + "x" * padding,
    }
