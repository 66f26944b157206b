"""What may leave the machine, and by which lane. Nothing in here sends."""
