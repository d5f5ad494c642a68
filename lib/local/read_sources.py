"""Lets functions read streams and queues with a backlog of thousands, nearly as on AWS; runs in the emulator's process before
it starts.

The emulator has one thread that looks at every event source in turn. From each it takes one batch, and it waits for the
functions that read a table's stream. On AWS each event source has readers of its own.

Streams: while one function read a stream, no queue was read and no other stream, so each hop of a message waited for all of
them. Here each function that reads a stream has a thread, which takes batch after batch until it is at the end.
Queues: a queue gave one batch in each round, so at most fifty messages a second. Here it gives all that wait. And to take a
batch, the emulator goes through all messages of the queue four times: 14,000 that were delayed took a third of its time.
While it deletes a batch, it may also lose what is sent meanwhile.
Tumbling windows: the emulator has none. Here a table's stream is one shard, and a function that answers with a state has windows
of two seconds.
"""
import contextvars, time
from ministack.services import dynamodb, lambda_svc, sqs

all_sources, read_streams = lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams
read_queues_once, take_of_fifo_queue = lambda_svc._poll_sqs, sqs._receive_messages_for_esm
# The sources that `read_streams` sees; all where it is not set.
only = contextvars.ContextVar('only', default=None)
# So that each kind of source has its turn.
stream_rounds_max, queue_rounds_max = 5, 20
batch_max = 10
# After a round that read nothing: the source is disabled, or its function failed.
idle_seconds = 0.1
shard = 'shardId-00000000000000000000-00000000'
window_seconds = 2
# The functions that were called in a window, and when it ends, by their sources.
windows = {}
run_function = lambda_svc._execute_function

def run_in_window(function, event):
    if only.get() is None:
        return run_function(function, event)
    mapping = only.get()[0][2]
    of_window = {'shardId': shard, 'isFinalInvokeForWindow': False}
    result = run_function(function, {**of_window, **event})
    if not result.get('error') and 'state' in (result.get('body') or ()):
        windows.setdefault(mapping['UUID'], (function, time.time() + window_seconds))
    return result

def window_ends(mapping):
    return mapping['UUID'] in windows and windows[mapping['UUID']][1] < time.time()

def end_window(mapping):
    result = run_function(windows[mapping['UUID']][0], {'shardId': shard, 'isFinalInvokeForWindow': True, 'Records': []})
    if result.get('error'):
        time.sleep(idle_seconds)
    else:
        del windows[mapping['UUID']]

def sources():
    return all_sources() if only.get() is None else only.get()

def has_records(account, region, source):
    arn = source.get('EventSourceArn', '')
    if ':dynamodb:' not in arn or lambda_svc._esm_backoff_until.get(source['UUID'], 0) > time.time():
        return False
    table, scope = arn.split('/stream/')[0].split('/')[-1], {'account_id': account, 'region': region}
    start, end = dynamodb.stream_start_position(table, **scope), dynamodb.stream_end_position(table, **scope)
    position = lambda_svc._dynamodb_stream_positions.get_scoped(account, region, source['UUID'], start)
    return end > max(start, position)

def read_one(source):
    only.set([source])
    rounds = 0
    while rounds < stream_rounds_max and has_records(*source):
        rounds += 1
        if not read_streams():
            time.sleep(idle_seconds)
    if window_ends(source[2]):
        end_window(source[2])

def read_each():
    started = False
    for source in list(all_sources()):
        mapping = source[2]
        if not lambda_svc._esm_inflight.get(mapping['UUID']) and (has_records(*source) or window_ends(mapping)):
            lambda_svc._dispatch_esm_batch(mapping['UUID'], read_one, source)
            started = True
    return started

def take_all():
    rounds = 0
    while rounds < queue_rounds_max and read_queues_once():
        rounds += 1
    return rounds > 0

def take_of_visible(queue_url, wanted):
    queue = sqs._get_q(queue_url)
    if queue['is_fifo']:
        return take_of_fifo_queue(queue_url, wanted)
    with sqs._queues_lock:
        now = time.time()
        visible = [message for message in queue['messages'] if message.get('visible_at', 0) <= now]
        if not visible:
            return []
        view = {**queue, 'messages': visible}
        sqs._expire_retained(view)
        sqs._dlq_sweep(view)
        kept = {id(message) for message in view['messages']}
        for gone in (message for message in visible if id(message) not in kept):
            queue['messages'].remove(gone)
        return sqs._collect_msgs(view, min(wanted, batch_max), int(queue['attributes'].get('VisibilityTimeout', '30')))

def delete_in_place(queue_url, receipt_handles):
    # A new list would lack what is sent meanwhile, which does not wait for this lock.
    with sqs._queues_lock:
        messages = sqs._get_q(queue_url)['messages']
        for index in range(len(messages) - 1, -1, -1):
            if messages[index].get('receipt_handle') in receipt_handles:
                del messages[index]

lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams = sources, read_each
lambda_svc._execute_function = run_in_window
lambda_svc._poll_sqs = take_all
sqs._receive_messages_for_esm, sqs._delete_messages_for_esm = take_of_visible, delete_in_place
