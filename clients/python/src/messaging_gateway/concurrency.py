"""Has what threads and asyncio do differently, in pairs. The synchronous client is generated from the asynchronous one."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedInVain
from typing import Any, Generic, TypeVar

from .retry import TimeLimit

Result = TypeVar("Result")

# Connections and waiting callers belong to an event loop, or to a process: a fork copies neither its parent's threads
# nor, safely, its connections.
AsyncPlace = asyncio.AbstractEventLoop
Place = int
async_place = asyncio.get_running_loop
place = os.getpid

async_pause = asyncio.sleep
pause = time.sleep


def async_place_has_ended(one: AsyncPlace) -> bool:
    return one.is_closed()


def place_has_ended(one: Place) -> bool:
    return one != os.getpid()


async def async_within(limit: TimeLimit, work: Awaitable[Result]) -> Result:
    try:
        return await asyncio.wait_for(work, max(0.001, limit.left()))
    except asyncio.TimeoutError as error:
        raise limit.error() from error


def within(_: TimeLimit, result: Result) -> Result:
    """Nothing can end the work of a thread: it looks at the limit itself."""
    return result


# An event loop forgets a task that nobody else holds.
_tasks: set[asyncio.Task[Any]] = set()


class AsyncWork(Generic[Result]):
    """Work that has begun. Several callers can wait for it, and it goes on without them."""

    def __init__(self, work: Callable[[], Awaitable[Result]]) -> None:
        async def run() -> Result:
            return await work()

        self._task = asyncio.create_task(run())
        _tasks.add(self._task)
        self._task.add_done_callback(_forget)

    async def wait(self, seconds: float) -> bool:
        """True if it has ended, with a result or an error."""
        await asyncio.wait({self._task}, timeout=seconds)
        return self._task.done() and not self._task.cancelled()

    def result(self) -> Result:
        return self._task.result()

    def abandon(self) -> None:
        self._task.cancel()


def _forget(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    # Every caller may have left: asyncio would log an error that nobody has asked for.
    if not task.cancelled():
        task.exception()


class Work(Generic[Result]):
    """As AsyncWork, in a thread of its own, which ends with the process."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._future = Future[Result]()

        def run() -> None:
            try:
                self._future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - the callers that wait get it
                self._future.set_exception(error)

        threading.Thread(target=run, daemon=True).start()

    def wait(self, seconds: float) -> bool:
        try:
            self._future.exception(seconds)
        except WaitedInVain:
            return False
        return True

    def result(self) -> Result:
        return self._future.result()

    def abandon(self) -> None:
        """Nothing can end a thread."""


class ForkSafeLock:
    """A lock that is free in a forked process, whatever the threads of its parent held."""

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}

    def __enter__(self) -> None:
        self._locks.setdefault(os.getpid(), threading.Lock()).acquire()

    def __exit__(self, *_: object) -> None:
        self._locks[os.getpid()].release()
