"""Lists, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .transport import ABSENT, Absent


def entries(
    load: Callable[[str | Absent], Any],
    name: str,
    position: str | Absent = ABSENT,
    *,
    is_endless: bool = False,
) -> Iterator[Any]:
    """The entries of all pages, each page requested when it is needed.

    Args:
        load: Requests the page behind a position.
        name: Of the entries in a page.
        position: Where to begin.
        is_endless: Whether to go on behind the last page, which waits for more.
    """
    while True:
        page = load(position)
        yield from page[name]
        position = page.get("next_cursor", ABSENT)
        if isinstance(position, Absent) or not (page["has_more"] or is_endless):
            return
