"""The records: written by one writer, read by readers that nothing in a file can stop.

``logs`` says which file a row belongs to; ``writer`` appends, ``reader`` reads row by row, and
``follow`` reads on in files that grow. ``check``, ``roster``, ``decisions`` and ``starvation``
answer the questions people ask of a day; ``explain`` says why. Import from the modules: the
commands load only what they use.
"""
