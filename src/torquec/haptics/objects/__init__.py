"""Virtual objects, contact, guides and collision: what the hand is made to feel."""
