"""Which failures are worth another attempt, and when: never so that a message could be sent twice."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Literal

from .errors import ApiError, ConnectionError, TimeoutError

if TYPE_CHECKING:
    from .options import Options
    from .settings import Settings

Repeat = Literal["always", "with_key", "if_refused"]
"""When a request may be sent again after a failure that leaves open whether it was carried out.

Always, with the idempotency key of the first attempt, or only if the gateway surely did not take it.
"""

_FIRST_DELAY_SECONDS = 0.5
_LONGEST_DELAY_SECONDS = 8.0


def retry_delay_seconds(
    error: Exception, *, repeat: Repeat, attempt: int, longest_wait_seconds: float, random: float
) -> float | None:
    """How long to wait before the next attempt; None where there is to be none.

    A Retry-After beyond longest_wait_seconds is the caller's to wait for: a daily limit resets in hours.
    """
    if not _is_worth_repeating(error, repeat):
        return None
    # Clients that failed together must not come back together.
    backoff = min(_LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1)) * (0.5 + random / 2)
    if not isinstance(error, ApiError) or error.retry_after is None:
        return backoff
    return None if error.retry_after > longest_wait_seconds else error.retry_after + backoff / 2


def _is_worth_repeating(error: Exception, repeat: Repeat) -> bool:
    if isinstance(error, ApiError):
        # Refused before anything was done.
        if error.status == 429 or error.error == "concurrent_change":
            return True
        # The first attempt, whose answer was lost, may still be at work.
        if error.error == "idempotency_in_progress":
            return repeat == "with_key"
        return repeat != "if_refused" and error.status in (500, 502, 503, 504)
    return isinstance(error, ConnectionError) and (repeat != "if_refused" or error.never_sent)


class Limits:
    """The budget of retries and the deadline of one call, its token requests included."""

    def __init__(self, settings: Settings, options: Options) -> None:
        self._settings = settings
        self._timeout = _first(options.timeout_seconds, settings.timeout_seconds)
        self._max_retries = _first(options.max_retries, settings.max_retries)
        deadline = _first(options.deadline_seconds, settings.deadline_seconds, math.inf)
        self._ends_at = settings.now() + deadline
        self.attempt: int = 1

    def begin_attempt(self) -> TimeLimit:
        return TimeLimit(max(0.001, min(self._timeout, self._ends_at - self._settings.now())))

    def delay_after(self, error: Exception, repeat: Repeat) -> float | None:
        """How long to wait before the next attempt; None where the error is the outcome of the call."""
        failed = self.attempt
        self.attempt += 1
        if failed > self._max_retries:
            return None
        delay = retry_delay_seconds(
            error,
            repeat=repeat,
            attempt=failed,
            longest_wait_seconds=self._settings.max_retry_after_seconds,
            random=self._settings.random(),
        )
        return None if delay is None or self._settings.now() + delay >= self._ends_at else delay


class TimeLimit:
    """Of one attempt, or of a shared token request."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends_at = time.monotonic() + seconds

    def left(self) -> float:
        return max(0.0, self._ends_at - time.monotonic())

    def error(self, *, never_sent: bool = False) -> TimeoutError:
        return TimeoutError(f"No answer within {self.seconds:.3g} s.", never_sent=never_sent)


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)
