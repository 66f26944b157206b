"""The reflex brain: features, head, mask, ladder, and the sweep that runs them for everybody."""
