import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_wire.transports.event_stream import MAX_EVENT_CHARS, EventStream, EventStreamError


def _read(*chunks: bytes) -> list[str]:
    stream = EventStream()
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    return events + stream.close()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_as_servers_send_them(end: str) -> None:
    lines = [": a comment", "event: ping", "data: {}", "", "data:one", "data: two", "id: 3", "", ""]
    assert _read(end.join(lines).encode()) == ["{}", "one\ntwo"]


def test_an_event_without_its_blank_line_at_the_end() -> None:
    assert _read(b"data: [DONE]") == ["[DONE]"]


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(EventStreamError, match="not UTF-8"):
        _read(b"data: \xff\n\n")
    with pytest.raises(EventStreamError, match="not UTF-8"):
        _read(b"data: \xc3")


@pytest.mark.parametrize("line", [b"x" * 99, b"data: xxx\n" * 99], ids=["line", "event"])
def test_an_event_without_end_is_not_kept(line: bytes) -> None:
    with pytest.raises(EventStreamError, match="more than"):
        _read(*[line] * (MAX_EVENT_CHARS // 99 + 1))


_STREAMS = st.lists(
    st.sampled_from(["data: é", "data:", "\n", "\r\n", "\r", ": x", "event: e", "data: 𝄞{}", " "])
).map("".join)


@settings(deadline=None)
@given(_STREAMS, st.data())
def test_however_it_is_cut_it_reads_the_same(text: str, data: st.DataObject) -> None:
    whole = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    chunks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert _read(*chunks) == _read(whole)
