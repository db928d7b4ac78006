"""Paths from a case's head to the root of an anchor, which whoever has the anchor can follow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from audit import anchors
from audit.anchors import PAGE_BITS, Head, Page
from audit.merkle import Tree

KEPT = 32  # trees of each sort, for exports of many cases: neighbours share theirs

T = TypeVar("T")


class Paths:
    """Finds paths; one for an export of many cases, in order of their numbers."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Any, tuple[list[Head], Tree]] = OrderedDict()
        self._tops: OrderedDict[Any, tuple[list[Page], Tree]] = OrderedDict()

    def of(self, case_id: int, anchor: int) -> dict[str, Any] | None:
        """The path of a case to an anchor; None where the anchor does not hold the case.

        What the tables say is handed on as it is: whoever follows the path sees whether it ends
        at the root that was signed.
        """
        page = case_id >> PAGE_BITS
        heads, tree = _kept(self._pages, (page, anchor), lambda: _page(page, anchor))
        index = next((at for at, head in enumerate(heads) if head.case_id == case_id), None)
        pages, top = _kept(self._tops, anchor, lambda: _top(anchor))
        above = next((at for at, one in enumerate(pages) if one.page == page), None)
        if index is None or above is None:
            return None
        return {
            "anchor": anchor,
            "head": anchors.head_text(heads[index]),
            "index": index,
            "path": [one.hex() for one in tree.path(index)],
            "page": anchors.page_text(pages[above]),
            "page_index": above,
            "page_path": [one.hex() for one in top.path(above)],
        }


def _page(page: int, anchor: int) -> tuple[list[Head], Tree]:
    heads = anchors.heads_at(page, anchor)
    return (heads, anchors.page_of(heads)[1]) if heads else ([], Tree([]))


def _top(anchor: int) -> tuple[list[Page], Tree]:
    pages = anchors.pages_at(anchor)
    return pages, anchors.tree_of(pages)


def _kept(kept: OrderedDict[Any, T], key: Any, make: Callable[[], T]) -> T:
    if key in kept:
        kept.move_to_end(key)
        return kept[key]
    found = kept[key] = make()
    if len(kept) > KEPT:
        kept.popitem(last=False)
    return found
