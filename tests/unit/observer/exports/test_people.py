"""Who of an export's senders is the user."""

from __future__ import annotations

import pytest

from mindloop.observer.exports.people import choose_sender
from mindloop.store.errors import WrongInput

BOB = ("bob", "Bobby", "111")
OP = ("keeper", "The Keeper", "222")
EVE = ("eve", "333")
TWO = {BOB: 5, OP: 7}


def refused(senders, **who):
    with pytest.raises(WrongInput) as caught:
        choose_sender(senders, **who)
    return caught.value


@pytest.mark.parametrize("name", ["bob", "BOB", "@bob", "bob#0", "bob#0000", " bob ", "~bob", "Bobby", "bobby", "111"])
@pytest.mark.parametrize("option", ["user", "sender"])
def test_any_spelling_finds_the_user(name: str, option: str) -> None:
    """Name, nickname and id, whatever the case, with an @ or Discord's number."""
    who = {"user": name} if option == "user" else {"user": "robert", "sender": name}
    chosen = choose_sender(TWO, **who)
    by_nickname = [f"no account there is called {name!r}; took 'bob' (id 111) by the nickname"]
    assert (chosen.user, chosen.operator) == ({BOB}, frozenset())
    assert chosen.notes == (by_nickname if name.lower() == "bobby" else [])


@pytest.mark.parametrize(
    ("sender", "name", "is_found"),
    [
        (("bob#1234", "1"), "bob#1234", True),
        (("bob#1234", "1"), "bob", True),
        (("bob#1234", "1"), "bob#9999", False),
        (("Straße",), "STRASSE", True),
        (("café",), "cafe\u0301", True),
        (("bob",), "bobby", False),
        (("bob",), "b", False),
        (("bob b",), "bob", False),
        (("#1",), "#2", False),
    ],
)
def test_names_are_compared_whole(sender: tuple[str, ...], name: str, is_found: bool) -> None:
    """A part of a name, or another number, is another person."""
    if is_found:
        assert choose_sender({sender: 1}, user=name).user == {sender}
    else:
        assert refused({sender: 1}, user=name).message.startswith("no sender is called ")


def test_one_person_may_go_under_many_names() -> None:
    """The id holds them together; in a log the folded name does."""
    renamed = ("robert", "R", "111")
    assert choose_sender({BOB: 1, renamed: 1, OP: 1}, user="bob").user == {BOB, renamed}
    assert choose_sender({("bob",): 1, ("Bob",): 2, ("op",): 3}, user="BOB").user == {("bob",), ("Bob",)}


def test_a_nickname_does_not_outdo_a_name() -> None:
    """Anybody can call themselves like the user; the account's own name comes first, the id before it."""
    liar = ("mallory", "bob", "999")
    assert choose_sender({BOB: 1, liar: 9}, user="bob").user == {BOB}
    assert choose_sender({("bob", "1"): 1, ("1", "2"): 1}, user="1").user == {("bob", "1")}


@pytest.mark.parametrize("option", ["--sender", "--operator"])
def test_between_two_people_nothing_is_guessed(option: str) -> None:
    """The error shows their ids."""
    two = {("ann", "Bob", "1"): 1, ("joe", "bob", "2"): 1, EVE: 1}
    who = {"user": "bob"} if option == "--sender" else {"user": "eve", "operator": "bob"}
    error = refused(two, **who)
    assert error.message == "2 senders are called 'bob': 'ann' (id 1), 'joe' (id 2)"
    assert error.hint == f"Say which by the id: {option} ID."


def test_the_only_other_sender_is_the_user() -> None:
    """Where the operator is known and one person is left; that it was concluded is said."""
    chosen = choose_sender(TWO, user="robert", operator="keeper")
    assert (chosen.user, chosen.operator) == ({BOB}, {OP})
    assert chosen.notes == ["nobody there is called 'robert'; took the only other sender, 'bob' (id 111)"]


@pytest.mark.parametrize("known", ["bob", "bobby", "111", "bob#1234"])
def test_a_known_users_words_are_not_taken_for_anothers(known: str) -> None:
    """Whoever is left, or has the user's name as a nickname, is refused where that is another user."""
    for who in ({"user": "robert", "operator": "keeper"}, {"user": "bobby"}):
        if known == "bobby" and who["user"] == "bobby":
            continue
        error = refused(TWO, **who, known=lambda: {known})
        assert error.message == f"'bob' (id 111) is another user: those words are not taken for {who['user']!r}"
        assert "--sender NAME" in error.hint
    assert choose_sender(TWO, user="robert", sender="bob", known=lambda: {known}).user == {BOB}
    assert choose_sender(TWO, user="bob", known=lambda: {"eve"}).user == {BOB}


def test_who_is_there_without_a_message_is_nobody_else() -> None:
    """Where the user is named among those who only reacted or forwarded, whoever is left is not the user."""
    for name in ("robert", "Rob", "9"):
        error = refused(TWO, user=name, operator="keeper", silent=[("robert", "Rob", "9"), ()])
        assert error.message == f"{name!r} is there without a message of their own, and 'bob' (id 111) is somebody else"
    assert refused(TWO, user="bobby", silent=[("bobby", "9")]).hint.endswith("--sender NAME.")
    assert choose_sender(TWO, user="bobby", silent=[BOB, ("eve", "9")]).user == {BOB}


def test_only_ids_are_ids() -> None:
    """Where an export has none the last spelling is a nickname; what is no number was chosen by somebody."""
    bob, liar = ("bob", "Bobby", ""), ("mallory", "bob", "")
    assert choose_sender({bob: 1, liar: 9}, user="bob").user == {bob}
    assert refused({("ann", "bob", ""): 1, ("joe", "bob", ""): 1}, user="bob").message.startswith(
        "2 senders are called"
    )
    assert choose_sender({("bob", "5"): 1, ("mallory", "bob"): 1}, user="bob").user == {("bob", "5")}
    assert choose_sender({("robert", "u-1"): 1, ("mallory", "x"): 1}, user="u-1").user == {("robert", "u-1")}
    error = refused({liar: 1}, user="zoe")
    assert error.message == "no sender is called 'zoe'; there are: 'mallory'"


@pytest.mark.parametrize(
    ("senders", "who"),
    [
        (TWO, {"user": "robert"}),
        ({**TWO, EVE: 1}, {"user": "robert", "operator": "keeper"}),
        (TWO, {"user": "robert", "sender": "robrt", "operator": "keeper"}),
        ({OP: 1}, {"user": "robert", "operator": "keeper"}),
        ({}, {"user": "robert"}),
        ({(): 3}, {"user": ""}),
    ],
)
def test_otherwise_nobody_is_taken(senders: dict[tuple[str, ...], int], who: dict[str, str]) -> None:
    """No operator, several others, a sender that was named and is not there: the error says who is."""
    error = refused(senders, **who)
    assert error.message.startswith(f"no sender is called {who.get('sender', who['user'])!r}; there are: ")
    assert error.hint == "Say who it is: --sender NAME."


def test_the_operator_must_be_there() -> None:
    """A misspelt operator would let our own words through."""
    error = refused(TWO, user="bob", operator="keepr")
    assert error.message == "no sender is called 'keepr'; there are: 'keeper' (id 222), 'bob' (id 111)"
    assert error.hint == "Say who it is: --operator NAME."


@pytest.mark.parametrize(
    "who",
    [
        {"user": "bob", "operator": "Bob"},
        {"user": "x", "sender": "bob", "operator": "@bob"},
        {"user": "bob", "operator": "111"},
        {"user": "bob", "operator": "Bobby"},
        {"user": "keeper", "sender": "bob", "operator": "keeper"},
    ],
)
def test_the_operator_is_never_the_user(who: dict[str, str]) -> None:
    """Under any spelling of either."""
    assert refused(TWO, **who).hint.startswith("Our own messages never become a user's quotes")


def test_the_error_lists_eight_senders_of_the_most_messages() -> None:
    """Hostile names are one short line each."""
    senders = {(f"n{at}\n\x1b[31m", str(at)): at for at in range(12)}
    error = refused(senders, user="bob")
    assert error.message.count("(id ") == 8
    assert error.message.startswith("no sender is called 'bob'; there are: 'n11 [31m' (id 11), 'n10 [31m' (id 10)")
    assert error.message.endswith(" and 4 more")
    assert error.message.isprintable()
