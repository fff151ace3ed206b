"""Rich display of results in notebooks: `_repr_html_`, implemented in :mod:`torquec.report.notebook_html`.

Results are defined in many packages, their display in `report`, which imports them. A result class therefore only
inherits `NotebookDisplay`; the module above has a row for it.
"""

from __future__ import annotations

import importlib

_DISPLAYS = "torquec.report.notebook_html"
"""The module with `notebook_html`; imported when a notebook first shows a result."""


class NotebookDisplay:
    """A result that Jupyter shows as tables and drawings."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """The result as HTML; None, which shows the plain text, for a result without tables."""
        found: str | None = importlib.import_module(_DISPLAYS).notebook_html(self)
        return found
