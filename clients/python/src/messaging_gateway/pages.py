"""A list in pages: iterated it is every item of every page."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from .call import AsyncCall, Call, Request
from .response import remember_response, response_of

Item = TypeVar("Item")


class Page(Generic[Item]):
    """One page. Iterated it goes on with the pages after it, up to max_items."""

    items: Sequence[Item]
    next_cursor: str | None

    def __init__(
        self, call: Call, request: Request, model: Any, items_of: Callable[[Any], Sequence[Item]]
    ) -> None:
        self._call, self._request, self._model, self._items_of = call, request, model, items_of
        answer = call(request, model)
        self.items = items_of(answer)
        self.next_cursor = answer.next_cursor
        remember_response(self, response_of(answer))

    def next_page(self) -> Page[Item] | None:
        """None after the last page."""
        if self.next_cursor is None:
            return None
        return Page(self._call, _after(self._request, self.next_cursor), self._model, self._items_of)

    def __iter__(self) -> Iterator[Item]:
        left = _most(self._request)
        page: Page[Item] | None = self
        while page is not None and left > 0:
            for item in page.items:
                yield item
                left -= 1
                if left <= 0:
                    return
            page = page.next_page()

    def to_list(self) -> list[Item]:
        """Every item, or as many as max_items says."""
        return list(self)


class AsyncPage(Generic[Item]):
    """One page."""

    items: Sequence[Item]
    next_cursor: str | None

    def __init__(self, pages: AsyncPages[Item], request: Request, answer: Any) -> None:
        self._pages, self._request = pages, request
        self.items = pages.items_of(answer)
        self.next_cursor = answer.next_cursor
        remember_response(self, response_of(answer))

    async def next_page(self) -> AsyncPage[Item] | None:
        """None after the last page."""
        if self.next_cursor is None:
            return None
        return await self._pages.page(_after(self._request, self.next_cursor))


class AsyncPages(Awaitable[AsyncPage[Item]]):
    """Awaited it is the first page, iterated (`async for`) every item of every page, up to max_items."""

    def __init__(
        self, call: AsyncCall, request: Request, model: Any, items_of: Callable[[Any], Sequence[Item]]
    ) -> None:
        self._call, self._request, self._model = call, request, model
        self.items_of = items_of

    def __await__(self) -> Generator[Any, None, AsyncPage[Item]]:
        return self.page(self._request).__await__()

    async def page(self, request: Request) -> AsyncPage[Item]:
        return AsyncPage(self, request, await self._call(request, self._model))

    async def __aiter__(self) -> AsyncIterator[Item]:
        left = _most(self._request)
        page: AsyncPage[Item] | None = await self if left > 0 else None
        while page is not None:
            for item in page.items:
                yield item
                left -= 1
                if left <= 0:
                    return
            page = await page.next_page()

    async def to_list(self) -> list[Item]:
        """Every item, or as many as max_items says."""
        return [item async for item in self]


def _most(request: Request) -> float:
    return math.inf if request.options.max_items is None else request.options.max_items


def _after(request: Request, cursor: str) -> Request:
    return replace(request, query={**request.query, "cursor": cursor})
