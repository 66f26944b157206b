"""What turns something that happened into a plan that a character carries out.

Laws, operators, never-rules and rules of forgiveness are data. The core is synchronous; only
:meth:`Deliberator.wake` waits, for a ranker and never past its deadline.
"""

from mindot.deliberator.coach import Coach, CommandSource, RecordError
from mindot.deliberator.deliberator import Deliberator, DeliberatorStatistics
from mindot.deliberator.forgiveness import Forgiveness, Grudges
from mindot.deliberator.intentions import Intention, IntentionState
from mindot.deliberator.lawbook import Lawbook, load_lawbook
from mindot.deliberator.laws import Laws
from mindot.deliberator.never import NeverRules
from mindot.deliberator.questions import HOLD_COURSE, STAND_DOWN, Pending
from mindot.deliberator.ranker import (
    RankedPlan,
    Ranker,
    RankFailure,
    Ranking,
    RankQuestion,
    RankReason,
)
from mindot.deliberator.settings import DeliberatorSettings
from mindot.deliberator.wake import Outcome, Wake, WakeClass, Wakened

__all__ = [
    "HOLD_COURSE",
    "STAND_DOWN",
    "Coach",
    "CommandSource",
    "Deliberator",
    "DeliberatorSettings",
    "DeliberatorStatistics",
    "Forgiveness",
    "Grudges",
    "Intention",
    "IntentionState",
    "Lawbook",
    "Laws",
    "NeverRules",
    "Outcome",
    "Pending",
    "RankFailure",
    "RankQuestion",
    "RankReason",
    "RankedPlan",
    "Ranker",
    "Ranking",
    "RecordError",
    "Wake",
    "WakeClass",
    "Wakened",
    "load_lawbook",
]
