import pytest

from mindot.village.dice import Dice
from mindot.village.favours import Favour, favour_in
from mindot.village.playbook import write_playbook


@pytest.mark.parametrize(
    ("message", "favour"),
    [
        (
            "Would you tell Maren that her lamp oil has come in?",
            Favour("tell Maren that her lamp oil has come in", "Maren", "her lamp oil has come in"),
        ),
        (
            "Please let Halvard know that his boat is leaking.",
            Favour("tell Halvard that his boat is leaking", "Halvard", "his boat is leaking"),
        ),
        (
            "If you see Halvard, tell him that\nthe mill is to be sold.",
            Favour("tell Halvard that the mill is to be sold", "Halvard", "the mill is to be sold"),
        ),
        (
            "Do tell Gerd that I am late and have my hides with me.",
            Favour(
                "tell Gerd that they are late and have their hides with them",
                "Gerd",
                "they are late and have their hides with them",
            ),
        ),
        ("Could you mend my axe by this evening?", Favour("mend their axe by this evening")),
        ("Would you look after the horse?", Favour("look after the horse")),
        ("Is the north road safe these days?", None),
        ("They tell me that it rains.", None),
        ("", None),
    ],
)
def test_what_a_message_asks_for(message: str, favour: Favour | None) -> None:
    assert favour_in(message) == favour


def test_every_favour_of_the_playbook_is_understood() -> None:
    asked = [s.text for s in write_playbook(Dice(7)) if s.act == "talk"]
    favours = [f for f in map(favour_in, asked) if f is not None]
    to_tell = {f.target for f in favours if f.target is not None}
    assert {"Maren", "Halvard"} <= to_tell
    assert any(f.target is None for f in favours)
