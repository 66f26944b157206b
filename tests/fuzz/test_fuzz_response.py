"""What the fuzzer found, and a part of what it kept, stays read as it should be."""

import base64
import gzip
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.fuzz_response import check

CORPUS = Path(__file__).parents[1] / "data" / "responses" / "fuzz.jsonl.gz"


def test_the_kept_corpus() -> None:
    for line in gzip.decompress(CORPUS.read_bytes()).splitlines():
        check(base64.b64decode(json.loads(line)["base64"]))


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check(data)
