"""Strings and transports: what goes over the wire to a language model and comes back."""
