"""Which failures are worth another attempt, and when: never so that a message could be sent twice."""

from __future__ import annotations

from typing import Literal

from .errors import ApiError, ConnectionError

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
