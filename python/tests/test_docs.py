"""Every Python block of the pages runs, each by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/python.md", "python/README.md"]


def blocks() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text()
        for match in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            line = text[: match.start()].count("\n") + 1
            found.append((f"{page}:{line}", match.group(1)))
    return found


@pytest.mark.parametrize(("origin", "code"), blocks(), ids=[origin for origin, _ in blocks()])
def test_block(origin: str, code: str) -> None:
    for name in ("torch", "jax", "gymnasium"):
        if re.search(rf"^import {name}\b", code, re.MULTILINE):
            pytest.importorskip(name)
    exec(compile(code, origin, "exec"), {"__name__": "snippet"})


def test_pages_have_blocks() -> None:
    assert {origin.split(":")[0] for origin, _ in blocks()} == set(PAGES)
