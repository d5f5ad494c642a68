"""A list in pages: iterated it is every item of every page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .call import Request

if TYPE_CHECKING:
    from .async_transport import AsyncCall
    from .transport import Call

Item = TypeVar("Item")


class Page(Generic[Item]):
    """One page. Iterated it goes on with the pages after it."""

    items: Sequence[Item]
    next_cursor: str | None

    def __init__(
        self, call: Call, request: Request, model: Any, items_of: Callable[[Any], Sequence[Item]], answer: Any
    ) -> None:
        self._call, self._request, self._model, self._items_of = call, request, model, items_of
        self.items = items_of(answer)
        self.next_cursor = answer.next_cursor

    @classmethod
    def first(
        cls, call: Call, request: Request, model: Any, items_of: Callable[[Any], Sequence[Item]]
    ) -> Page[Item]:
        return cls(call, request, model, items_of, call(request, model))

    def next_page(self) -> Page[Item] | None:
        if self.next_cursor is None:
            return None
        return Page.first(self._call, _after(self._request, self.next_cursor), self._model, self._items_of)

    def __iter__(self) -> Iterator[Item]:
        page: Page[Item] | None = self
        while page is not None:
            yield from page.items
            page = page.next_page()


class AsyncPage(Generic[Item]):
    """One page."""

    def __init__(self, items: Sequence[Item], next_cursor: str | None) -> None:
        self.items = items
        self.next_cursor = next_cursor


class AsyncPages(Awaitable[AsyncPage[Item]]):
    """Awaited it is the first page, iterated (`async for`) every item of every page."""

    def __init__(
        self, call: AsyncCall, request: Request, model: Any, items_of: Callable[[Any], Sequence[Item]]
    ) -> None:
        self._call, self._request, self._model, self._items_of = call, request, model, items_of

    def __await__(self) -> Generator[Any, None, AsyncPage[Item]]:
        return self._page(self._request).__await__()

    async def _page(self, request: Request) -> AsyncPage[Item]:
        answer = await self._call(request, self._model)
        return AsyncPage(self._items_of(answer), answer.next_cursor)

    async def __aiter__(self) -> AsyncIterator[Item]:
        page = await self
        while True:
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            page = await self._page(_after(self._request, page.next_cursor))


def _after(request: Request, cursor: str) -> Request:
    return replace(request, query={**request.query, "cursor": cursor})
