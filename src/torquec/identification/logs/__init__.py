"""Log checks, and preparation of filtered samples for a fit."""
