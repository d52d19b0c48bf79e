"""Exports in memory, written as each tool writes them."""

from __future__ import annotations

import io
import json

from mindloop.observer.exports.reading import open_export

HEADER = "AuthorID,Author,Date,Content,Attachments,Reactions"
RULE = "=" * 62


def opened(data, name="export"):
    """An export of bytes, or of text as UTF-8."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return open_export(lambda: io.BytesIO(raw), name)


def read(data):
    """Its messages, and the export after it was read."""
    export = opened(data)
    return list(export), export


def said(data):
    """What each message is, shortly: sender, text, stamp, kind."""
    return [(m.sender, m.text, m.stamp_raw, m.kind) for m in read(data)[0]]


def discord_entry(number, text, *, name="bob", id="111", stamp="2026-02-11T14:23:05.123+00:00", **more):
    """One entry of DiscordChatExporter's JSON."""
    author = {"id": id, "name": name, "discriminator": "0000", "nickname": name.title(), "isBot": False, "roles": []}
    return {
        "id": f"9{number:017}", "type": "Default", "timestamp": stamp, "timestampEdited": None, "isPinned": False,
        "content": text, "author": author, "attachments": [], "embeds": [], "reactions": [], **more,
    }  # fmt: skip


def discord_json(entries, **dumping):
    """DiscordChatExporter's JSON, as text."""
    whole = {
        "guild": {"id": "0", "name": "Direct Messages"},
        "channel": {"id": "77", "type": "DirectTextChat", "name": "bob"},
        "messages": entries,
        "messageCount": len(entries),
    }
    return json.dumps(whole, **dumping)


def csv_rows(rows, header=HEADER, delimiter=","):
    """A table whose cells are all quoted, as text."""
    lines = [header.replace(",", delimiter)]
    for row in rows:
        cells = ('"' + str(cell).replace('"', '""') + '"' for cell in row)
        lines.append(delimiter.join(cells))
    return "".join(line + "\r\n" for line in lines)


def twitter_js(conversations, part="window.YTD.direct_messages.part0 = "):
    """The direct messages of an archive, as text: a list of (id, entries)."""
    items = [{"dmConversation": {"conversationId": key, "messages": entries}} for key, entries in conversations]
    return part + json.dumps(items, indent=2)


def twitter_entry(number, text, *, sender="2", stamp="2026-02-11T14:23:05.123Z", kind="messageCreate"):
    """One entry of a conversation."""
    return {kind: {"id": str(number), "senderId": sender, "recipientId": "1", "text": text, "createdAt": stamp}}


def discord_text(messages):
    """DiscordChatExporter's text: a list of (stamp, sender, text with its sections)."""
    head = f"{RULE}\nGuild: Direct Messages\nChannel: bob\n{RULE}\n\n"
    body = "".join(f"[{stamp}] {sender}\n{text}\n\n\n" for stamp, sender, text in messages)
    return f"{head}{body}{RULE}\nExported {len(messages)} message(s)\n{RULE}\n"
