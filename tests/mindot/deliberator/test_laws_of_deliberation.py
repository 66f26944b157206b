"""What holds whatever the laws, manifests, frames and interruptions are."""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import orjson
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mindot.deliberator.situation import situation_of
from mindot.game.frame import Character, Frame, name_key
from mindot.game.manifest import manifest_of
from tests.mindot.deliberator.worlds import NAMES, World

SEEDS = st.integers(min_value=0, max_value=2**32)


def _of(world: World, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for at, record in enumerate(world.records):
        if record["kind"] == kind:
            yield at, record["decision"]


@settings(max_examples=60, deadline=None)
@given(SEEDS)
@example(1)
def test_no_command_outside_the_manifest_ever_leaves(seed: int) -> None:
    world = World(seed)
    for frame, command in world.left:
        character = frame.by_key[name_key(command.name)]
        manifest = manifest_of(world.manifests, character.archetype)
        assert manifest.allows(command.cmd)
        assert manifest.speaks or command.say is None
    # plans never even try
    blocked = {(d["name"], d["verb"]) for _, d in _of(world, "manifest_blocked")}
    for frame, _, move, _ in world.fired:
        for command in move.commands:
            archetype = frame.by_key[name_key(command.name)].archetype
            assert manifest_of(world.manifests, archetype).allows(command.cmd), blocked


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_every_deed_has_a_wake_before_it_and_an_end_after_it(seed: int) -> None:
    world = World(seed)
    began = {
        d["id"]: (at, d["name"])
        for at, d in _of(world, "deliberator_wake")
        if d["outcome"] == "intention"
    }
    done = {d["id"]: at for at, d in _of(world, "deliberator_plan_done")}
    dropped = [
        (at, d["name"])
        for kind in ("deliberator_swap", "deliberator_stand_down")
        for at, d in _of(world, kind)
    ]
    living = [world.deliberator.intention(name) for name in NAMES]
    live = {i.id for i in living if i is not None}
    for at, deed in _of(world, "deliberator_decided"):
        woken, name = began[deed["id"]]
        assert woken < at
        assert (
            deed["id"] in live
            or done.get(deed["id"], -1) > at
            or any(end > at and who == name for end, who in dropped)
        )
    # one at a time: a plan ends before the next one of the same character begins
    for name in NAMES:
        spans = sorted((at, i) for i, (at, who) in began.items() if who == name)
        for (start, earlier), (after, _) in pairwise(spans):
            ended = start < done.get(earlier, -1) < after
            assert ended or any(start < end < after and who == name for end, who in dropped)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_cursors_move_forward_only(seed: int) -> None:
    world = World(seed)
    at: dict[str, int] = {}
    over: set[str] = set()
    for record in world.records:
        payload, kind = record["decision"], record["kind"]
        known = payload.get("id")
        if known is None or not kind.startswith("deliberator_"):
            continue
        if kind == "deliberator_wake":
            assert known not in at
            at[known] = 0
            continue
        assert known not in over
        if kind == "deliberator_step_advance":
            assert (payload["from"], payload["to"]) == (at[known], at[known] + 1)
            assert payload["desire"] == payload["plan"][payload["to"]]
            at[known] += 1
        elif kind == "deliberator_plan_done":
            assert payload["last_step"] == at[known] == len(payload["plan"]) - 1
            over.add(known)
        else:
            assert payload.get("step", at[known]) == at[known]


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_a_never_rule_is_never_broken(seed: int) -> None:
    world = World(seed)
    for frame, intention, move, never in world.fired:
        character = frame.by_key[intention.wake.key]
        target = _archetype_of(move.target, move.target_handle, frame)
        situation = situation_of(intention.wake, character, frame, grudge=0.0)
        for rule in never.rules:
            touched = move.desire in rule.operators or move.commands[0].cmd in rule.actions
            meant = not rule.targets or target in rule.targets
            assert not (touched and meant and rule.when.holds(situation))


def _archetype_of(target: str | None, handle: int | None, frame: Frame) -> str | None:
    if target is None or target == "player" or target.startswith("station:"):
        return None
    found: Character = next(c for c in frame.characters if c.handle == handle)
    return found.archetype


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_the_same_seed_writes_the_same_bytes(seed: int) -> None:
    one, two = World(seed), World(seed)
    assert orjson.dumps(one.records) == orjson.dumps(two.records)
    assert [c for _, c in one.left] == [c for _, c in two.left]


def test_the_same_seed_writes_the_same_bytes_whatever_the_hash_seed() -> None:
    digest = (
        "import hashlib, orjson\n"
        "from tests.mindot.deliberator.worlds import World\n"
        "print(hashlib.sha256(orjson.dumps(World(11).records)).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", digest],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_the_random_worlds_are_worth_it() -> None:
    """Between them they fire many steps and write every kind that a deliberator writes."""
    worlds = [World(seed) for seed in range(40)]
    assert sum(len(w.fired) for w in worlds) > 400
    assert sum(move.over_order for w in worlds for _, _, move, _ in w.fired) > 20
    written = {r["kind"] for w in worlds for r in w.records}
    assert sorted(k for k in written if k.startswith("deliberator_")) == [
        "deliberator_amends_nothing_to_forgive",
        "deliberator_bind_skip",
        "deliberator_decided",
        "deliberator_escalation",
        "deliberator_hold_course",
        "deliberator_need_unmet",
        "deliberator_never_blocked",
        "deliberator_no_admissible_verbs",
        "deliberator_plan_done",
        "deliberator_plan_escalation",
        "deliberator_rank",
        "deliberator_rank_error",
        "deliberator_stand_down",
        "deliberator_step_advance",
        "deliberator_swap",
        "deliberator_wait",
        "deliberator_wake",
    ]
    assert {"obedience_broken", "manifest_blocked"} <= written
