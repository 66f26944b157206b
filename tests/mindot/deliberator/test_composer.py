"""Plans in the running: their order, and the reasons for it."""

from typing import Any

from mindot.deliberator.composer import FAR, compose, score
from mindot.deliberator.lawbook import load_lawbook
from mindot.deliberator.laws import PlanSketch, Weights
from mindot.deliberator.situation import Situation, situation_of
from mindot.deliberator.wake import Wake, WakeClass
from mindot.game.frame import Character, Frame
from tests.mindot.deliberator.stage import STATIONS, T0, person

OPERATORS = load_lawbook().laws.operators


def scene(*others: Character, **changes: Any) -> tuple[Situation, Character, Frame]:
    ylva = person("Ylva", **changes)
    frame = Frame(
        world="mock", tab="test", tick=1, t=T0, characters=(ylva, *others), stations=STATIONS
    )
    wake = Wake(
        name="Ylva", cls=WakeClass.NEED, text="hungry", t=T0, subject="Finn", need="food",
        gravity=0.6,
    )  # fmt: skip
    return situation_of(wake, ylva, frame, grudge=0.4), ylva, frame


def test_a_score_adds_up_from_named_terms() -> None:
    situation, _, _ = scene(traits={"brave": 0.9}, trust={"finn": -0.5})
    weights = Weights(
        base=0.3,
        traits=(("brave", 0.5), ("warm", 1.0)),
        grudge=0.5,
        gravity=0.1,
        trust=0.2,
        need=0.5,
        distance=0.4,
    )
    value, terms = score(weights, situation, distance=FAR / 2)
    assert dict(terms) == {
        "base": 0.3,
        "brave": 0.4,
        "grudge": 0.2,
        "gravity": 0.06,
        "trust": -0.1,
        "need": 0.3,
        "distance": -0.2,
    }
    assert value == 0.96


def test_best_first_and_equal_scores_by_the_files_order() -> None:
    situation, ylva, frame = scene()
    sketches = [
        PlanSketch(steps=(step,), weights=Weights(base=base), law=f"law-{i}")
        for i, (step, base) in enumerate(
            [("go-rest", 0.5), ("go-eat", 0.7), ("flee", 0.5), ("go-rest", 0.6), ("go-rest", 0.1)]
        )
    ]
    found = compose(sketches, OPERATORS, situation, ylva, frame, None)
    assert [(c.plan, c.score, c.law) for c in found] == [
        (("go-eat",), 0.7, "law-1"),
        (("go-rest",), 0.6, "law-3"),
        (("flee",), 0.5, "law-2"),
    ]
    assert found[0].explain() == "0.7 = base 0.7"


def test_the_way_to_the_first_target_counts_and_nobody_is_as_far_as_can_be() -> None:
    situation, ylva, frame = scene(person("Runa", "guard", x=40.0))
    weights = Weights(base=1.0, distance=0.6)

    def one(step: str) -> float:
        sketch = PlanSketch(steps=("wait", step), weights=weights, law="x")
        return compose([sketch], OPERATORS, situation, ylva, frame, None)[0].score

    assert one("report") == 0.7  # 30 of 60 units away
    assert one("seek-company") == 0.4  # there is no ally
    assert one("flee") == 1.0  # there is no way to go


def test_a_plan_of_waiting_alone_has_no_way_to_go() -> None:
    situation, ylva, frame = scene()
    sketch = PlanSketch(steps=("wait",), weights=Weights(base=1.0, distance=0.6), law="x")
    assert compose([sketch], OPERATORS, situation, ylva, frame, None)[0].score == 1.0


def test_a_summary_of_a_situation_names_nobody() -> None:
    situation, _, _ = scene(person("Finn"))
    summary = situation.summary()
    pairs = [part.split("=") for part in summary.split("|")]
    assert [key for key, _ in pairs] == sorted(key for key, _ in pairs)
    assert "Ylva" not in summary
    assert "finn" not in summary.lower()
    assert dict(pairs)["need"] == "food"
    assert dict(pairs)["pressure"] == "3"  # the wake says how pressing it is


def test_a_number_that_is_none_reads_as_unremarkable() -> None:
    odd = float("nan")
    situation, ylva, frame = scene(
        traits={"brave": odd, "warm": 7.0}, needs={"rest": odd}, trust={"finn": -odd}
    )
    assert (situation.traits["brave"], situation.traits["warm"]) == (0.5, 1.0)
    assert (situation.needs["rest"], situation.trust) == (0.0, 0.0)
    weights = Weights(base=0.4, traits=(("brave", 1.0),), trust=1.0)
    sketch = PlanSketch(steps=("flee",), weights=weights, law="x")
    assert compose([sketch], OPERATORS, situation, ylva, frame, None)[0].score == 0.4
