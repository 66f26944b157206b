"""The bridge between a game's sweeps and the minds behind its characters.

:class:`~mindot.host.host.Host` is the whole loop: a frame in, commands out, records on the way.
"""
