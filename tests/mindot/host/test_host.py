"""The loop from a frame to commands and records, told in small stories."""

from collections.abc import Callable
from pathlib import Path

import pytest

from llm_wire.transport import Failure, Request
from llm_wire.transports.scripted import ScriptedReply
from mindot.game.frame import Lease, Order, Player
from mindot.game.toml_table import TomlError
from mindot.records.logs import Log
from tests.mindot.host.stage import (
    CALM,
    SURE,
    T0,
    TORN,
    Stage,
    a_character,
    a_frame,
    a_talk,
    answer,
)


def test_a_dilemma_is_asked_and_its_answer_served_in_the_next_sweep() -> None:
    stage = Stage(answer("confront", reasoning="Enough is enough."), TORN)
    first, second = stage.play(a_frame(1), a_frame(2))
    assert first == ()
    assert stage.served() == ["escalated", "llm-verdict"]
    assert [c.to_json() for c in second] == [{"cmd": "confront", "name": "Gerdur"}]
    served = stage.receipts()[1]
    assert served["cmds"] == [{"cmd": "confront", "name": "Gerdur"}]
    assert (served["verdict"], served["because"]) == ("confront", "Enough is enough.")
    (verdict,) = stage.flywheel("student_escalation_verdict")
    assert verdict["verb"] == "confront"
    assert verdict["because"] == "Enough is enough."
    assert verdict["tuple"] == stage.receipts()[0]["tup"]


def test_a_slow_answer_lands_as_many_sweeps_later_as_it_took() -> None:
    slow = ScriptedReply(text=answer("confront"), latency_ms=3_500.0)
    stage = Stage(lambda request: slow, TORN)
    stage.play(a_frame(1), a_frame(2), a_frame(3))
    assert stage.served() == ["escalated", "escalation-held", "llm-verdict"]
    assert stage.flywheel("student_escalation_verdict")[0]["ms"] == 3_500.0


def test_an_answer_that_comes_when_the_dilemma_is_over_is_dropped_and_told() -> None:
    late = ScriptedReply(text=answer("confront"), latency_ms=9_000.0)
    stage = Stage(lambda request: late, TORN)
    stage.play(a_frame(1), a_frame(2))
    stage.head.named = CALM
    stage.play(*(a_frame(tick) for tick in range(3, 7)))
    assert "llm-verdict" in stage.served()
    # parked at its boundary, it is for the two sweeps after it
    stage = Stage(lambda request: late, TORN)
    bound = a_character(lease=Lease(role="sentry", pose="watch", reapply=True))
    stage.play(a_frame(1), *(a_frame(tick, bound) for tick in range(2, 11)))
    assert stage.served()[1:] == ["recast"] * 9
    assert stage.host.statistics().late == 1


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("The guard shrugs.", "unreadable"),
        (lambda request: ScriptedReply(failure=Failure.RATE_LIMITED), "rate-limited"),
        (lambda request: ScriptedReply(failure=Failure.REFUSED), "refused"),
        (lambda request: ScriptedReply(failure=Failure.OVER_QUOTA), "over-quota"),
        (lambda request: ScriptedReply(failure=Failure.TIMEOUT_TOTAL), "timeout-total"),
        ("", "empty"),
    ],
)
def test_no_thought_no_invention(
    script: Callable[[Request], str | ScriptedReply] | str, name: str
) -> None:
    stage = Stage(script, TORN)
    _, second = stage.play(a_frame(1), a_frame(2))
    assert second == ()
    assert stage.served() == ["escalated", "escalation-held"]
    assert stage.host.statistics().fallbacks == {name: 1}
    assert stage.flywheel("student_escalation_verdict") == []
    told = [r.get("error") for r in stage.trace("executive.facet.response")]
    routes = [r["route"] for r in stage.trace("executive.facet.output")]
    assert name in told or routes == ["fallback"]


def test_a_tired_body_rests_when_no_thought_comes_back() -> None:
    tired = a_character(energy=10.0, x=15.0)
    stage = Stage("mumble", TORN)
    _, second = stage.play(a_frame(1, tired), a_frame(2, tired))
    assert [c.name for c in second] == ["Gerdur"]
    assert second[0].cmd in ("stay", "go_station")
    assert [c["cmd"] for c in stage.flywheel("raw")] == [second[0].cmd]


def test_a_stance_does_not_move_a_body_that_is_under_an_order() -> None:
    ordered = a_character(energy=10.0, order=Order(text="hold the gate"))
    stage = Stage("mumble", TORN)
    assert stage.play(a_frame(1, ordered), a_frame(2, ordered))[1] == ()


def test_a_held_reflex_comes_back_to_the_mind_with_its_code() -> None:
    ordered = a_character(order=Order(text="hold the gate", by="the captain"))
    stage = Stage(answer(), SURE)
    stage.play(a_frame(1, ordered), a_frame(2, ordered))
    assert stage.served() == ["held", "held"]
    mind = stage.host.mind_of("gerdur")
    assert mind is not None
    told = [e.metadata for e in mind.executive.entities().values() if e.type == "percept"]
    assert any("LW3002" in m["summary"] and m["provenance"] == "reafferent" for m in told)


def test_words_to_a_character_are_answered_aloud_in_their_own_thread() -> None:
    stage = Stage(answer(reply="Mind your step."), CALM)
    player = Player(x=1.0, y=0.0, name="Ulf")
    _, second = stage.play(
        a_frame(1, events=[a_talk("Gerdur", "May I pass?")], player=player),
        a_frame(2, player=player),
    )
    spoken = [c for c in second if c.say]
    assert [(c.cmd, c.target, c.say) for c in spoken] == [("say", "player", "Mind your step.")]
    assert [r["key"] for r in stage.trace("executive.facet.spawn")] == [
        "conversation:test:gerdur:player"
    ]
    asked = next(r for r in stage.requests if "May I pass?" in r.messages[0].content)
    assert "Speaker: Ulf (id: player)" in asked.messages[0].content


def talk_of_the_bridge(request: Request) -> str:
    if "Current message:" not in request.messages[0].content:
        return answer()
    return answer(
        reply="I will tell her.",
        undertakings=[{"what": "reach Brenna about the bridge", "target": "Brenna"}],
    )


def test_a_promise_wakes_the_deliberator_and_a_receipt_proves_it_kept() -> None:
    stage = Stage(talk_of_the_bridge, CALM)
    two = (a_character(), a_character("Brenna", archetype="smith", x=3.0, station=None))
    player = Player(x=1.0, y=0.0, name="Ulf")
    stage.play(
        a_frame(1, *two, events=[a_talk("Gerdur")], player=player),
        *(a_frame(tick, *two, player=player) for tick in range(2, 16)),
    )
    (start,) = stage.trace("executive.undertaking.start")
    assert (start["what"], start["target"]) == ("reach Brenna about the bridge", "brenna")
    wakes = [w for w in stage.flywheel("deliberator_wake") if w["cls"] == "undertaking"]
    assert [w["outcome"] for w in wakes] == ["intention"]
    kept = next(r for r in stage.receipts() if r.get("target") == "ally:Brenna")
    assert kept["served"] == "intention"
    (end,) = stage.trace("executive.undertaking.end")
    assert end["reason"] == "kept"
    assert end["by"]["t"] == kept["t"]
    assert end["by"]["episode"] == kept["episode"]


def test_a_promise_is_not_lost_when_the_thought_that_should_read_it_fails() -> None:
    def script(request: Request) -> str | ScriptedReply:
        if "Current message:" in request.messages[0].content:
            return answer(undertakings=[{"what": "mend the axe by Friday"}])
        return ScriptedReply(failure=Failure.UNREACHABLE)

    stage = Stage(script, CALM)
    player = Player(x=1.0, y=0.0)
    stage.play(
        a_frame(1, events=[a_talk("Gerdur")], player=player),
        *(a_frame(tick, player=player) for tick in range(2, 40)),
    )
    mind = stage.host.mind_of("Gerdur")
    assert mind is not None
    assert [p.what for p in mind.executive.promises()] == ["mend the axe by Friday"]
    assert stage.trace("executive.undertaking.end") == []


def test_a_loaded_save_leaves_the_thoughts_of_the_lost_future_without_effect() -> None:
    slow = ScriptedReply(text=answer("confront"), latency_ms=5_000.0)
    stage = Stage(lambda request: slow, TORN)
    stage.play(a_frame(10), a_frame(11))
    stage.head.named = CALM
    stage.play(*(a_frame(tick) for tick in range(2, 12)))
    assert stage.host.statistics().stale == 1
    statistics = stage.host.statistics()
    ends = statistics.answered + statistics.fallback_count + statistics.stale
    assert ends + statistics.unfinished == statistics.thoughts, "each thought has one end"
    assert "llm-verdict" not in stage.served()


def test_the_dead_neither_think_nor_answer() -> None:
    slow = ScriptedReply(text=answer("confront"), latency_ms=3_000.0)
    stage = Stage(lambda request: slow, TORN)
    dead = a_character(alive=False)
    stage.play(a_frame(1), a_frame(2, dead), a_frame(3, dead), a_frame(4, dead))
    assert stage.served() == ["escalated"]
    assert stage.host.mind_of("Gerdur") is None
    assert stage.host.statistics().stale == 1
    assert [r["reason"] for r in stage.trace("executive.facet.destroy")] == ["explicit"]


def test_what_lasts_is_taken_up_by_the_next_host(tmp_path: Path) -> None:
    stage = Stage(talk_of_the_bridge, CALM, lasting=tmp_path)
    player = Player(x=1.0, y=0.0)
    stage.play(a_frame(1, events=[a_talk("Gerdur")], player=player), a_frame(2, player=player))
    stage.host.close()
    again = Stage(answer(), CALM, lasting=tmp_path)
    again.play(a_frame(3))
    mind = again.host.mind_of("Gerdur")
    assert mind is not None
    assert [p.what for p in mind.executive.promises()] == ["reach Brenna about the bridge"]


def test_every_trace_row_names_the_mind_and_the_runs_own_time() -> None:
    stage = Stage(answer("confront"), TORN)
    stage.play(a_frame(1), a_frame(2))
    stage.host.close()
    rows = stage.book.rows[Log.TRACE]
    assert rows
    assert {row["mind"] for row in rows} == {"test:gerdur"}
    assert {row["wallTime"] for row in rows} <= {round((T0 + 2 * n) * 1000) for n in (1, 2)}
    assert all(list(row)[:4] == ["type", "wallTime", "tick", "mind"] for row in rows)


def test_kept_thoughts_hold_the_question_and_what_came_of_it() -> None:
    stage = Stage(answer("confront"), TORN)
    stage.play(a_frame(1), a_frame(2))
    t, ask, outcome = stage.thoughts[0]
    assert t in (T0 + 2.0, T0 + 4.0)
    assert ask.prompt == stage.requests[0].messages[0].content
    assert outcome.text == answer("confront")


def test_reloaded_manifests_mask_the_reflexes_and_a_bad_file_changes_nothing(
    tmp_path: Path,
) -> None:
    stage = Stage(answer(), SURE)
    stage.play(a_frame(1))
    assert stage.served() == ["emitted"]
    toml = tmp_path / "manifests.toml"
    toml.write_text('[manifest.guard]\nallows = ["stay", "dance"]\n')
    with pytest.raises(TomlError, match="dance"):
        stage.host.reload(tmp_path)
    stage.play(a_frame(2))
    assert stage.served()[-1] == "emitted"
    toml.write_text('[manifest.guard]\nallows = ["stay"]\n')
    stage.host.reload(tmp_path)
    stage.play(a_frame(3))
    assert stage.receipts()[-1]["probs"]["warn_say"] == 0.0
    assert stage.served()[-1] == "calm"


def test_who_comes_back_from_the_dead_gives_no_id_again() -> None:
    stage = Stage(answer("confront"), TORN)
    stage.play(a_frame(1), a_frame(2))
    stage.play(a_frame(3, a_character(alive=False)))
    stage.play(*(a_frame(tick) for tick in range(200, 203)))
    ids = [(r.asker, r.ask_id) for r in stage.requests]
    assert len(ids) > 1
    assert len(set(ids)) == len(ids)
    spawned = [row["facetId"] for row in stage.trace("executive.facet.spawn")]
    assert len(spawned) > 1
    assert len(set(spawned)) == len(spawned)
