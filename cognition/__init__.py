"""The executive and its facets; knows no game, no file, no socket."""
