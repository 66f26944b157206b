"""An HTTP server on 127.0.0.1 whose every answer is spelled out byte by byte.

What real servers do wrong (silence after the headers, a stream that stops, half a JSON) cannot be
said through a framework that knows HTTP, so this one knows almost none of it: it reads a request,
then plays that request's steps. Silence lasts until the client hangs up; nothing here sleeps.
"""

import json
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = [
    "SILENCE",
    "Answer",
    "Loopback",
    "Seen",
    "chunked",
    "http",
    "json_answer",
    "refused_port",
    "sse",
]

SILENCE: Final = object()
"""A step: say nothing more until the client hangs up or the server is closed."""

Answer = Sequence[bytes | object]
"""Steps of one answer: bytes to send, or :data:`SILENCE`. The connection is closed after them."""


@dataclass(frozen=True)
class Seen:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Loopback:
    answers: list[Answer]
    """In order; the last one answers whatever comes after it."""
    context: ssl.SSLContext | None = None
    seen: list[Seen] = field(default_factory=list)
    port: int = 0
    stalled: threading.Event = field(default_factory=threading.Event)
    """Set once an answer has come to its silence."""
    _closing: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)
    _open: list[socket.socket] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def base_url(self) -> str:
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}/v1"

    @contextmanager
    def serving(self) -> Iterator["Loopback"]:
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self._start(self._accept, listener)
        try:
            yield self
        finally:
            self._closing.set()
            # a blocked accept is not woken by close alone
            with socket.socket() as wake:
                wake.connect(("127.0.0.1", self.port))
            with self._lock:
                for peer in self._open:
                    _hang_up(peer)
            for thread in self._threads:
                thread.join(timeout=10)
            listener.close()

    def _start(self, target: Any, *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while not self._closing.is_set():
            peer, _ = listener.accept()
            if self._closing.is_set():
                peer.close()
                return
            with self._lock:
                self._open.append(peer)
            self._start(self._serve, peer)

    def _serve(self, peer: socket.socket) -> None:
        try:
            if self.context is not None:
                peer = self.context.wrap_socket(peer, server_side=True)
            seen = _read_request(peer)
            if seen is None:
                return
            with self._lock:
                answer = self.answers[min(len(self.seen), len(self.answers) - 1)]
                self.seen.append(seen)
            for step in answer:
                if isinstance(step, bytes):
                    peer.sendall(step)
                else:
                    self.stalled.set()
                    while peer.recv(4096):
                        pass
        except OSError:
            pass  # the client went away, which is what half of the tests are about
        finally:
            _hang_up(peer)
            peer.close()


def _hang_up(peer: socket.socket) -> None:
    with suppress(OSError):  # already gone
        peer.shutdown(socket.SHUT_RDWR)


def _read_request(peer: socket.socket) -> Seen | None:
    head = b""
    while b"\r\n\r\n" not in head:
        more = peer.recv(65536)
        if not more:
            return None
        head += more
    head, _, body = head.partition(b"\r\n\r\n")
    line, *rows = head.decode("latin-1").split("\r\n")
    headers = {k.strip().lower(): v.strip() for k, _, v in (row.partition(":") for row in rows)}
    while len(body) < int(headers.get("content-length", 0)):
        more = peer.recv(65536)
        if not more:
            return None
        body += more
    return Seen(path=line.split(" ")[1], headers=headers, body=json.loads(body or b"{}"))


def http(
    body: bytes, *, status: str = "200 OK", content_type: str = "application/json", **headers: str
) -> bytes:
    """A whole answer; ``Retry_After="3"`` becomes ``Retry-After: 3``."""
    rows = "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items())
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{rows}"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode() + body


def json_answer(value: object, *, status: str = "200 OK", **headers: str) -> Answer:
    return [http(json.dumps(value).encode(), status=status, **headers)]


def sse(*events: object, event_names: bool = False, end: bool = True) -> list[bytes | object]:
    """A stream of server-sent events, chunk by chunk; strings go in raw, the rest as JSON."""
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    steps: list[bytes | object] = [head]
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        name = ""
        if event_names and isinstance(event, dict):
            name = f"event: {event['type']}\n"
        steps.append(chunked(f"{name}data: {data}\n\n".encode()))
    if end:
        steps.append(b"0\r\n\r\n")
    return steps


def chunked(body: bytes) -> bytes:
    return f"{len(body):x}\r\n".encode() + body + b"\r\n"


def refused_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
