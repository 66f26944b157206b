"""Property tests here prove laws, not speed: no deadline, and few enough examples to stay quick."""

from hypothesis import settings

settings.register_profile("laws", deadline=None, max_examples=60)
settings.load_profile("laws")
