"""A reply let through while the answer is still arriving."""

from llm_wire.answer_search import find_answer
from llm_wire.json_text import replace_surrogates
from llm_wire.outside import SpeechScanner
from llm_wire.quoted_text import Unquoter
from llm_wire.speech import reason_at, speech_inside

__all__ = ["ReplyStream"]


class ReplyStream:
    """Takes an answer in pieces and lets the words of its reply through as soon as they are sure.

    Whatever way the text is cut, what :meth:`feed` and :meth:`close` give, joined, is the
    ``reply_text`` of the whole answer. Held back are only blanks that may turn out to be the
    reply's end, and what may turn out to be a marker.
    """

    __slots__ = ("_chunks", "_closed", "_scanner", "_unquoter", "no_message")

    def __init__(self) -> None:
        self._scanner = SpeechScanner()
        self._unquoter: Unquoter | None = Unquoter()
        self._chunks: list[str] = []
        self._closed = False
        self.no_message: str | None = None
        """After :meth:`close`, the reason why nothing is said, where silence was chosen.

        It may come after words that are out already; they cannot be called back."""

    def feed(self, chunk: str) -> str:
        """The words of the reply that are sure by now; often none."""
        if not chunk.isascii():
            chunk = replace_surrogates(chunk)
        if self._unquoter is not None:
            chunk = self._unquoter.feed(chunk)
            if self._unquoter.passes_all:
                self._unquoter = None
        self._chunks.append(chunk)
        return self._scanner.feed(chunk)

    def close(self) -> str:
        """The rest of the words, once the answer is complete; a second time, nothing.

        A reply that stands only in the answer's ``reasoning`` comes here as a whole.
        """
        if self._closed:
            return ""
        self._closed = True
        last = self._unquoter.finish() if self._unquoter is not None else ""
        self._chunks.append(last)
        words = self._scanner.feed(last) + self._scanner.finish()
        text = "".join(self._chunks)
        if self._scanner.silence_at >= 0:
            self.no_message = reason_at(text, self._scanner.silence_at)
        if self._scanner.replied or self.no_message is not None:
            return words
        reasoning = find_answer(text).value.get("reasoning")
        if not isinstance(reasoning, str):
            return ""
        speech = speech_inside(reasoning)
        self.no_message = speech.no_message
        return speech.reply_text or ""
