"""The command line. Each command is a module of its own, loaded when it is called."""

from mindot.cli._group import main

__all__ = ["main"]
