"""Wrappers that make any transport hold out, each usable alone; ``stack`` puts them together."""

from llm_wire.allowance import Allowance
from llm_wire.transports.resilient.breaker import Breaker
from llm_wire.transports.resilient.budget import Budget
from llm_wire.transports.resilient.deadlines import Deadlines
from llm_wire.transports.resilient.fallthrough import Fallthrough
from llm_wire.transports.resilient.limit import Limit
from llm_wire.transports.resilient.retry import Retry

__all__ = ["Allowance", "Breaker", "Budget", "Deadlines", "Fallthrough", "Limit", "Retry"]
