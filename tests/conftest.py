"""Property tests here prove laws, not speed: no deadline on a single example."""

from hypothesis import settings

settings.register_profile("laws", deadline=None, max_examples=60)
settings.load_profile("laws")
