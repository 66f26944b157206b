"""The game's side of the bridge: its words, its frames, and what a character may do."""
