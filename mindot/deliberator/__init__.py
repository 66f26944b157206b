"""What turns something that happened into a plan that a character carries out.

Laws, operators, never-rules and rules of forgiveness are data. The core is synchronous; only
:meth:`Deliberator.wake` waits, for a ranker and never past its deadline.
"""

from mindot.deliberator.coach import Coach, CommandSource, RecordError
from mindot.deliberator.deliberator import Deliberator
from mindot.deliberator.ranker import (
    RankedPlan,
    Ranker,
    RankFailure,
    Ranking,
    RankQuestion,
    RankReason,
)
from mindot.deliberator.wake import Outcome, Wake, WakeClass, Wakened

__all__ = [
    "Coach",
    "CommandSource",
    "Deliberator",
    "Outcome",
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
]
