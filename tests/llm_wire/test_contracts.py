"""The table of blocks, and what derives from it."""

import llm_wire
from llm_wire.contracts import BLOCK_FIELDS, LONGEST_MARKER, MARKER, PROTOCOL_TAGS, TAGGED_BLOCKS


def test_the_tags_outsiders_rely_on() -> None:
    expected = (
        "PLANS BELIEFS INTROSPECTION NARRATIVE IDENTITY KNOWN_ENTITIES GOALS_NEW GOALS_ABANDON "
        "GOALS_REPRIORITIZE SELF_OBS SKILLS UNDERTAKINGS EFFECTORS REPLY_TEXT NO_MESSAGE ACK REPLY"
    )
    assert set(TAGGED_BLOCKS) == set(expected.split())
    assert len(TAGGED_BLOCKS) == 17
    assert PROTOCOL_TAGS == ("REPLY_TEXT", "NO_MESSAGE", "INTROSPECTION", "NARRATIVE", "SELF_OBS")
    assert set(PROTOCOL_TAGS) <= set(TAGGED_BLOCKS)


def test_every_tag_is_a_marker_in_any_ascii_case() -> None:
    for tag in TAGGED_BLOCKS:
        for written in (tag, tag.lower(), tag.title()):
            assert MARKER.fullmatch(f"[{written}]")
            assert MARKER.fullmatch(f"[/{written}]")
    assert len("[/GOALS_REPRIORITIZE]") == LONGEST_MARKER


def test_only_named_markers_in_ascii_are_markers() -> None:
    for words in ("[1]", "[see 4.4]", "[REDACTED]", "[PLANS", "[ PLANS]", "[ſKILLS]", "[İDENTITY]"):
        assert not MARKER.search(words)


def test_keys_have_their_names_in_python() -> None:
    assert BLOCK_FIELDS["newBeliefs"] == "new_beliefs"
    assert BLOCK_FIELDS["currentSelfView"] == "current_self_view"
    assert BLOCK_FIELDS["goalsToReprioritize"] == "goals_to_reprioritize"
    assert len(set(BLOCK_FIELDS.values())) == len(BLOCK_FIELDS)


def test_the_public_names() -> None:
    for name in (
        "TAGGED_BLOCKS", "PROTOCOL_TAGS", "wrap_reply_text", "extract_text_block",
        "strip_tagged_blocks", "strip_protocol_markers", "render_speaker_line",
        "render_current_message_line", "match_conversation_focus", "ReplyStream",
    ):  # fmt: skip
        assert name in llm_wire.__all__
        assert hasattr(llm_wire, name)
