/**
 * Two things that MiniStack does otherwise than AWS, mended in its own process as it starts; a release of it that lacks
 * what is mended here does not start.
 *
 * It keeps the batching window of an event source and does not observe it, and its batches end at ten: here messages
 * wait for company for as long as the window says. And after two wakes in a row that found no work it sleeps 50 ms
 * whatever comes meanwhile, so that every retry put off by one client would hold up the events of all.
 */
export const likeAws = `
import threading, time
from ministack.core.concurrency import esm_wake
from ministack.services import lambda_svc, sqs
receive, gathered = sqs._receive_messages_for_esm, {}

def window_of(url):
    name = url.rsplit('/', 1)[-1]
    return max((esm.get('MaximumBatchingWindowInSeconds') or 0 for _, _, esm in lambda_svc._iter_all_esms()
        if esm.get('EventSourceArn', '').rsplit(':', 1)[-1] == name), default=0)

def gather(url, size):
    window = window_of(url)
    if not window: return receive(url, size)
    batch, ends = gathered.pop(url, ([], None))
    while len(batch) < size and (more := receive(url, size - len(batch))): batch += more
    if not batch: return batch
    if ends is None:
        ends = time.monotonic() + window
        threading.Timer(window, esm_wake.set).start()
    if len(batch) >= size or time.monotonic() >= ends: return batch
    gathered[url] = (batch, ends)
    return []

sqs._receive_messages_for_esm = gather
lambda_svc._ESM_IDLE_WAKE_GAP_SECONDS = min(lambda_svc._ESM_IDLE_WAKE_GAP_SECONDS, 0.005)
`;
