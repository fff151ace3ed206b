"""The papers' own methods, one file each, with their printed numbers beside ours."""
