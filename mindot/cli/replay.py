"""``mindot replay``: play a recorded run again, without a model."""

from pathlib import Path

import click

from mindot.cli._common import EXIT_FOUND, emit_json, fail, json_option

__all__ = ["command"]


@click.command("replay", short_help="Play a recorded run again, without a model.")
@click.argument("recording", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where the records go. [default: a fresh temporary directory]",
)
@json_option
def command(recording: Path, directory: Path | None, as_json: bool) -> None:
    """Play the run in RECORDING (of `mindot run --record`) again; no model is asked.

    The records come out byte for byte as they did. Exits 1 at the first request that differs
    from the recorded one, and shows both.
    """
    from llm_wire.transports.recorded import RecordedTransport, ReplayDiffers
    from llm_wire.transports.recording import RecordingError
    from mindot.cli._village import perform, prepare, summary, tell
    from mindot.host.models import replayed_models
    from mindot.host.play import Play

    try:
        recorded = RecordedTransport(recording)
        header = recorded.run
        if header is None:
            fail(f"{str(recording)!r} does not say how its run was set up; record it anew")
        chosen, _ = prepare(directory)
        play = Play.from_header(header, chosen)
    except OSError as error:
        fail(f"cannot read {str(recording)!r}: {error.strerror}")
    except (RecordingError, ValueError) as error:
        fail(str(error))
    try:
        played = perform(play, replayed_models(recorded), None, show=not as_json)
    except ReplayDiffers as differs:
        if differs.recorded is None and not recorded.unasked():
            click.echo(
                f"mindot: the recording ends after its {recorded.statistics().recorded} requests, "
                "as that of a run that was interrupted does; the records up to there are in "
                f"{str(chosen)!r}. The next request would be: {differs}",
                err=True,
            )
        else:
            click.echo(f"mindot: the replay is not the recorded run: {differs}", err=True)
        raise SystemExit(EXIT_FOUND) from None
    left = recorded.unasked()
    if as_json:
        emit_json(summary(played) | {"unasked": len(left)})
    else:
        tell(played, chosen)
    if left:
        click.echo(
            f"mindot: the replay never asked {len(left)} of the recorded requests; the first is "
            f"number {left[0].number}, of {left[0].asker!r}",
            err=True,
        )
        raise SystemExit(EXIT_FOUND)
