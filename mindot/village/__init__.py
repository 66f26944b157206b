"""The built-in village: a seeded world to watch a mind in, without a game."""
