"""Coverage-guided fuzzing, run by hand; the docs tell what it found."""
