"""``python -m mindot`` is the ``mindot`` command."""

from mindot.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main(prog_name="mindot")
