"""The transports, one a module; each imports what it needs when it is made.

``scripted`` needs nothing, ``openai`` and ``anthropic`` their official SDKs, ``recorded`` a file.
``resilient`` holds the wrappers: deadlines, retry, breaker, fallthrough, limit and budget.
"""
