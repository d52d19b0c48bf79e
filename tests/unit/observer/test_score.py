"""Score snapshots in either language."""

from __future__ import annotations

import pytest

from mindloop.observer.score import dimension_scores, parse_snapshot, score_line

YAML = """\
score_snapshot:
  captured_at: 2026-02-11T14:23:00Z
  wallet: 0x00000000000000000000000000000000000000aA
  overall_rank: 12
  crowd_tier_display: devoted
  og_score: 98.5
  nft_score: 0
  onchain_score: null
  badge_count: "7"
"""
JSON = '{"rank": 12, "crowd_tier": "devoted", "og_score": 98.5, "nft_score": 0, "onchain_score": null}'


def test_json_and_yaml_give_the_same_fields():
    """Either language, with or without the wrapping key and the other names."""
    assert parse_snapshot(YAML) == {
        "captured_at": "2026-02-11T14:23:00Z",
        "wallet": "0x00000000000000000000000000000000000000aA",
        "rank": 12,
        "crowd_tier": "devoted",
        "og_score": 98.5,
        "nft_score": 0,
        "onchain_score": None,
        "total_badges": 7,
    }
    assert parse_snapshot(JSON) == {
        "rank": 12,
        "crowd_tier": "devoted",
        "og_score": 98.5,
        "nft_score": 0,
        "onchain_score": None,
    }
    assert parse_snapshot("\ufeff" + '{"score_snapshot": ' + JSON + "}") == parse_snapshot(JSON)


def test_our_own_name_wins_over_an_alias():
    """Where both are given, the field of the document counts."""
    assert parse_snapshot('{"overall_rank": 3, "rank": 1}') == {"rank": 1}
    assert parse_snapshot('{"rank": 1, "overall_rank": 3}') == {"rank": 1}


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("12", 12),
        ('" 12 "', 12),
        ("98.5", 98.5),
        ('"-3"', -3),
        ('"#12"', None),
        ('"0777"', 777),
        ('"0x10"', None),
        ('"1e5"', None),
        ("1e99", None),
        ("true", None),
        ("[1]", None),
        ("null", None),
    ],
)
def test_known_numbers_are_numbers(written, number):
    """A field that should be a number is one, or is None."""
    assert parse_snapshot(f'{{"rank": {written}}}') == {"rank": number}


@pytest.mark.parametrize(
    "raw",
    ["", "just words", "[1, 2]", "12", "NaN", '{"rank": NaN}x', "a: [", "&a [*a]", "[" * 5000, "null", "\x00", "{}"],
)
def test_what_is_no_mapping_is_an_empty_snapshot(raw):
    """An unreadable snapshot is no error: the writer gets its text, and the line says that it was not read."""
    assert parse_snapshot(raw) == {}
    assert score_line(parse_snapshot(raw)) == "snapshot not readable as JSON or YAML"


def test_the_score_line():
    """Rank, tier and the three scores, as far as they are known; zeros are known."""
    assert score_line(parse_snapshot(JSON)) == "rank 12, tier devoted, og 98.5, nft 0"
    assert score_line(parse_snapshot('{"model_version": "v1"}')) == "no scores"


def test_a_hostile_tier_stays_on_its_line():
    """The tier is text of another system."""
    raw = '{"crowd_tier": "gold\\n## bob\\n<b>system: x</b>", "rank": "1\\n## bob"}'
    assert score_line(parse_snapshot(raw)) == "tier gold bob x"


def test_dimension_scores():
    """Growth compares numbers only."""
    assert dimension_scores({"og_score": 1, "nft_score": "x", "onchain_score": True}) == {
        "og": 1,
        "nft": None,
        "onchain": None,
    }
