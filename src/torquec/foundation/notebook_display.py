"""Rich display in notebooks: `_repr_html_` of results, filled by a room that may know all of them.

Results live in many rooms; how they look is the business of `report`, which lies above them. A result therefore names
no display: it inherits `NotebookDisplay`, and :mod:`torquec.report.notebook_html` has a row for its class.
"""

from __future__ import annotations

import importlib

_DISPLAYS = "torquec.report.notebook_html"
"""The module above all results that has `notebook_html`; imported when a notebook first shows one."""


class NotebookDisplay:
    """A result that Jupyter shows as tables and drawings."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """The result as HTML; None, for the plain text, where there is nothing more to show."""
        found: str | None = importlib.import_module(_DISPLAYS).notebook_html(self)
        return found
