"""The command `torquec`: one file per command; the only room that may import all others."""

from torquec.cli.app import main

__all__ = ["main"]
