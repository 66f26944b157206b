"""A mind for game characters. Layers, imports only downward: mindot, cognition, llm_wire."""
