"""Records and files for the property tests."""

from typing import Any

from hypothesis import strategies as st

from mindot.game.contract import KINDS, TIERS, TRACE_TYPES

__all__ = ["NAMES", "extras", "file_pieces", "flywheel", "json_values", "receipts", "trace_events"]

NAMES = ["Falk", "falk", "FALK", "Kell", "Þóra", "ÞÓRA", "a/b", 'O"Dan', "back\\slash", "ΟΔΥΣΣΕΥΣ"]

_text = st.text(st.characters(codec=None), max_size=12)
"""Any characters, lone surrogates among them."""
_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _text
)
json_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=6,
)
_known = frozenset({"v", "t", "name", "served", "kind", "type", "tick", "wallTime", "decision"})
extras = st.dictionaries(_text.filter(lambda key: key not in _known), json_values, max_size=3)
_times = st.floats(1_789_193_080, 1_789_193_120).map(lambda t: round(t, 2))
_names = st.sampled_from(NAMES) | _text


@st.composite
def receipts(draw: st.DrawFn) -> dict[str, Any]:
    row: dict[str, Any] = {
        "v": draw(st.sampled_from([1, 1, 1, 2])),
        "t": draw(_times),
        "world": "mock",
        "name": draw(_names),
        "served": draw(st.sampled_from([*TIERS, "calm", "calm", "later-tier"])),
        "action": "stay",
        "conf": 0.9,
    }
    return row | draw(extras)


@st.composite
def flywheel(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "v": 1,
        "t": draw(_times),
        "kind": draw(st.sampled_from([*KINDS, "later_kind"])),
        "decision": {"name": draw(_names), "id": "falk-1"} | draw(extras),
        "state": {"npcs": [{"name": draw(_names)}]},
    } | draw(extras)


@st.composite
def trace_events(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "type": draw(st.sampled_from([*TRACE_TYPES, "later.type"])),
        "wallTime": draw(st.integers(1_789_192_800_000, 1_789_193_400_000)),
        "tick": draw(st.integers(0, 1000)),
        "facetId": "facet-1",
    } | draw(extras)


_soup = st.binary(max_size=40).map(lambda soup: soup.replace(b"\n", b""))
_tricky = st.sampled_from(
    [
        b"",
        b" ",
        b"\r",
        b"null",
        b"[]",
        b'{"v":1}{"v":1}',
        b'{"v":1,"served":"calm","name":"Falk"} {"v":1,"served":"calm","name":"Falk"}',
        b'{"v":1,"served":"calm","name":',
        b'{"v":1,"served":"calm","name":"\\u0046alk","t":1}\r',
        b'{"v":1,"served":"held","name":"\\u212Aell","t":1.5}',
        b'{"v":1,"served":"held","name":"a\\/b","t":1.5}',
        b'{"v":1,"served":"held","n\\u0061me":"Falk","t":1.5}',
        b'{"v":1,"served":"held","name":"K","name":"Falk","t":2}',
        b'{"v":true,"served":"held","name":"Falk","t":"soon"}',
        b'{"v":1.0,"served":5,"name":null,"t":1e999}',
        b'{"v":1,"served":"held","name":"Falk","deep":' + b"[" * 300 + b"]" * 300 + b"}",
        b'{"v":1,"served":"held","name":"Falk","deep":' + b"[" * 2000 + b"]" * 2000 + b"}",
        b'{"v":1,"served":"held","name":"\xff"}',
        b'{"v":1,"served":"held","name":"Falk","x":"\xed\xa0\x80"}',
        b'{"v":1,"t":17{"v":1,"t":1789192801.5,"served":"escalated","name":"Falk"}',
        '{"v":1,"served":"held","name":"\u212aell","t":3}'.encode(),
        '{"v":1,"served":"held","name":"Fa\u2028lk","t":3}'.encode(),
        '{"v":1,"served":"held","name":"Õ","t":3}'.encode(),
    ]
)


def file_pieces(rows: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Whole files: rows, soup and traps in any order, the last line with its newline or without."""
    lines = st.lists(rows | rows | rows | _tricky | _soup, max_size=12)
    return st.builds(
        lambda pieces, end: b"\n".join(pieces) + end, lines, st.sampled_from([b"", b"\n"])
    )
