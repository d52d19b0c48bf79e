"""Who of an export's senders is the user: decided by names, never guessed between two people."""

from __future__ import annotations

from mindloop.observer.exports.message import shown
from mindloop.observer.names import fold
from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    Sender = tuple[str, ...]

LISTED = 8
"""Senders that an error names."""

_NUMBER = when_used(r"#[0-9]{1,4}\Z")


class Chosen:
    """Who is who in an export.

    Attributes:
        user: every spelling tuple (``Message.sender``) that is the user.
        operator: those of the operator; empty where nobody was named.
        notes: how somebody was found where no account name or id said so.
    """

    __slots__ = ("notes", "operator", "user")

    def __init__(self, user: frozenset[Sender], operator: frozenset[Sender], notes: list[str]) -> None:
        self.user = user
        self.operator = operator
        self.notes = notes


def choose_sender(
    senders: Mapping[Sender, int],
    *,
    user: str,
    sender: str | None = None,
    operator: str | None = None,
    silent: Collection[Sender] = (),
    known: Callable[[], Collection[str]] = tuple,
) -> Chosen:
    """Find the user among the senders of an export (follow-up, section 6).

    Args:
        senders: how many messages each ``Message.sender`` sent.
        user: the user's name.
        sender: the name, nickname or id under which the user writes there; None where it is ``user``.
        operator: the name under which we write there, if it was said.
        silent: who else the export names: those of whom it holds no message.
        known: gives the folded names of the other users that there are; asked only where no account is the user's.

    Raises:
        WrongInput: nobody or more than one person has that name, the operator is not there, or is the user; or whoever
            would be taken for want of a name is another user.
    """
    wanted = user if sender is None else sender
    if operator is not None and _key(operator) in (_key(wanted), _key(user)):
        raise WrongInput(
            f"the operator {shown(operator)!r} cannot be the user",
            "Our own messages never become a user's quotes: name the user's sender with --sender NAME.",
        )
    notes: list[str] = []
    ours: frozenset[Sender] = frozenset() if operator is None else _person(senders, operator, "--operator", notes)
    if operator is not None and not ours:
        raise _nobody(senders, operator, "--operator")
    said = len(notes)
    theirs = _person(senders, wanted, "--sender", notes)
    if theirs & ours:
        raise WrongInput(
            f"{shown(wanted)!r} and the operator {shown(operator or '')!r} are one sender",
            "Our own messages never become a user's quotes: name the user's sender with --sender NAME.",
        )
    if theirs:
        if len(notes) > said and sender is None:
            _refuse_known(theirs, user, known())
            _refuse_silent(theirs, wanted, silent)
        return Chosen(theirs, ours, notes)
    if ours and sender is None:
        others = _people(names for names in senders if names and names not in ours)
        if len(others) == 1:
            _refuse_known(others[0], user, known())
            _refuse_silent(others[0], wanted, silent)
            notes.append(f"nobody there is called {shown(wanted)!r}; took the only other sender, {_called(others[0])}")
            return Chosen(others[0], ours, notes)
    raise _nobody(senders, wanted, "--sender")


def our_side(senders: Collection[Sender], chosen: Chosen) -> frozenset[Sender]:
    """Who we are in an export: the operator, else the only one there beside the user; empty where nobody knows."""
    others = [names for names in senders if names not in chosen.user]
    if chosen.operator or not all(others):
        return chosen.operator
    people = _people(others)
    return people[0] if len(people) == 1 else frozenset()


def _refuse_known(person: frozenset[Sender], user: str, known: Collection[str]) -> None:
    """Refuse another user for whom nothing speaks but a nickname, or that nobody else is there."""
    spelled = {key for names in person for name in names for key in (_key(name), _NUMBER.sub("", _key(name))) if key}
    if spelled.intersection({_NUMBER.sub("", key) for key in known} | set(known)):
        raise WrongInput(
            f"{_called(person)} is another user: those words are not taken for {shown(user)!r}",
            "Ingest them for that user, or say that they are this one's: --sender NAME.",
        )


def _refuse_silent(person: frozenset[Sender], name: str, silent: Collection[Sender]) -> None:
    """Refuse to take for the user somebody else than who has the name and no message of their own in the export."""
    named = [names for names in silent if any(kind(names, name) for kind in _KINDS if names)]
    if any(not _same(names, other) for names in named for other in person):
        raise WrongInput(
            f"{shown(name)!r} is there without a message of their own, and {_called(person)} is somebody else",
            "Say whose words are wanted: --sender NAME.",
        )


def _person(senders: Mapping[Sender, int], name: str, option: str, notes: list[str]) -> frozenset[Sender]:
    """Return everything one person goes under who has this name, best kind of name first; empty where nobody has.

    That it is a nickname is added to the notes: anybody can take one.
    """
    for kind in _KINDS:
        found = [names for names in senders if names and kind(names, name)]
        people = _people(names for names in senders if names and any(_same(names, other) for other in found))
        if len(people) > 1:
            raise WrongInput(
                f"{len(people)} senders are called {shown(name)!r}: {', '.join(map(_called, people[:LISTED]))}",
                f"Say which by the id: {option} ID.",
            )
        if people and kind is _has_nickname:
            notes.append(f"no account there is called {shown(name)!r}; took {_called(people[0])} by the nickname")
        if people:
            return people[0]
    return frozenset()


def _id(names: Sender) -> str:
    return names[-1] if len(names) > 1 else ""


def _has_id(names: Sender, name: str) -> bool:
    """Tell whether a name is the id of an account, as platforms give them: digits, which nobody chooses."""
    return _id(names).isdigit() and _id(names) == name.strip()


def _has_named_id(names: Sender, name: str) -> bool:
    return bool(_id(names)) and _id(names) == name.strip()


def _has_name(names: Sender, name: str) -> bool:
    return _key(names[0]) == _key(name)


def _has_bare_name(names: Sender, name: str) -> bool:
    return _alike(names[0], name)


def _has_nickname(names: Sender, name: str) -> bool:
    return any(_alike(nickname, name) for nickname in names[1:-1])


_KINDS = (_has_id, _has_name, _has_bare_name, _has_named_id, _has_nickname)


def _key(name: str) -> str:
    """What a name is compared by; messengers put a ~ before the names of people one does not know."""
    return fold(name.strip().lstrip("~").strip())


def _alike(one: str, other: str) -> bool:
    """Tell whether two names are equal once the number that Discord put behind one of them is off."""
    key, wanted = _key(one), _key(other)
    return bool(wanted) and (wanted in (key, _NUMBER.sub("", key)) or _NUMBER.sub("", wanted) == key)


def _same(one: Sender, other: Sender) -> bool:
    """Tell whether two spelling tuples are one person: by id where both have one."""
    if _id(one) and _id(other):
        return _id(one) == _id(other)
    return one == other


def _people(senders: Iterable[Sender]) -> list[frozenset[Sender]]:
    """Put the spelling tuples of one person together."""
    found: dict[object, set[Sender]] = {}
    for names in senders:
        found.setdefault((bool(_id(names)), _id(names) or _key(names[0])), set()).add(names)
    return [frozenset(group) for _, group in sorted(found.items(), key=lambda pair: str(pair[0]))]


def _called(person: frozenset[Sender]) -> str:
    names = min(person)
    return f"{shown(names[0])!r}" + (f" (id {shown(_id(names))})" if _id(names) else "")


def _nobody(senders: Mapping[Sender, int], name: str, option: str) -> WrongInput:
    people = _people(names for names in senders if names)
    people.sort(key=lambda person: (-sum(senders[names] for names in person), _called(person)))
    there = ", ".join(map(_called, people[:LISTED])) or "nobody"
    more = f" and {len(people) - LISTED} more" if len(people) > LISTED else ""
    return WrongInput(
        f"no sender is called {shown(name)!r}; there are: {there}{more}", f"Say who it is: {option} NAME."
    )
