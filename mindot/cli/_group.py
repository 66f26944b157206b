"""The ``mindot`` group: it knows every command's name and one line, and imports none of them.

``mindot --help`` and the reading commands have to answer at once, so a command's module (and all
that it needs) is imported only when that command runs.
"""

from importlib import import_module
from typing import Any, Final

import click

from mindot.cli._output import output_guarded

__all__ = ["main"]

_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "run": ("mindot.cli.run", "Play the built-in village and leave its records."),
    "replay": ("mindot.cli.replay", "Play a recorded run again, without a model."),
    "why": ("mindot.cli.why", "Explain a character's newest decisions."),
    "watch": ("mindot.cli.watch", "Follow decisions as they are made, and raise alerts."),
    "check": ("mindot.cli.check", "Count what is in record files, and find what is broken."),
    "names": ("mindot.cli.names", "List the characters in the files."),
    "index": ("mindot.cli.index", "Index receipt files, so that why answers at once."),
    "sync": ("mindot.cli.sync", "Show what would leave the machine, lane by lane."),
    "parse": ("mindot.cli.parse", "Read a model's response and show what is in it."),
    "promises": ("mindot.cli.promises", "List promises: standing, kept and ended."),
    "thought": ("mindot.cli.thought", "Show a thought's prompt and the raw answer to it."),
    "churn": ("mindot.cli.churn", "Report which facets end, by key and reason."),
    "doctor": ("mindot.cli.doctor", "Check that a language model answers, and how fast."),
}
"""Name of the command: its module (which has ``command``), and its line in the help."""


class _LazyGroup(click.Group):
    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with output_guarded():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with output_guarded():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"mindot {version('mindot-npc')}")
    ctx.exit()


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    callback=_print_version,
    expose_value=False,
    is_eager=True,
    help="Show the version and exit.",
)
def main() -> None:
    """A mind for game characters: play a village, and ask any decision why."""
