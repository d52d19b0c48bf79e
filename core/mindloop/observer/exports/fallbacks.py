"""The sentences that DiscordChatExporter writes where Discord shows a notification: nobody said them."""

from __future__ import annotations

from mindloop.store.lazy_patterns import when_used

_SENTENCES = frozenset(
    (
        "Added a recipient.",
        "Removed a recipient.",
        "Changed the channel name.",
        "Changed the channel icon.",
        "Pinned a message.",
        "Joined the server.",
        "Left the group.",
        "Started a thread.",
    )
)
_CALL = when_used(r"Started a call that lasted [0-9]{1,6} minutes\.")


def is_notification(text: str) -> bool:
    """Tell whether a text is one of these sentences, to the letter."""
    return text in _SENTENCES or (text.startswith("Started a call") and _CALL.fullmatch(text) is not None)
