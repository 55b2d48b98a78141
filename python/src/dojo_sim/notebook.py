"""Simulations in notebooks."""

from __future__ import annotations

import base64


def framed(page: str, height: int = 480) -> str:
    """A page inside another: it keeps its scripts and styles to itself."""
    data = base64.b64encode(page.encode()).decode()
    return f'<iframe src="data:text/html;base64,{data}" width="100%" height="{height}" style="border:0" allowfullscreen></iframe>'
