"""Lets functions read streams and queues with a backlog of thousands, nearly as on AWS; runs in the emulator's process before
it starts.

The emulator has one thread that looks at every event source in turn. From each it takes one batch, and it waits for the
functions that read a table's stream. On AWS each event source has readers of its own.

Streams: while the function that counts usage read a thousand records, the relay waited, and then got a hundred. Here a
function that is behind gets several batches in each round.
Queues: a queue gave one batch in each round, so at most fifty messages a second. Here it gives all that wait. And to take a
batch, the emulator goes through all messages of the queue four times: 14,000 that were delayed took a third of its time.
While it deletes a batch, it may also lose what is sent meanwhile.
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

def sources():
    return all_sources() if only.get() is None else only.get()

def is_behind(account, region, source):
    arn = source.get('EventSourceArn', '')
    if ':dynamodb:' not in arn:
        return False
    table, scope = arn.split('/stream/')[0].split('/')[-1], {'account_id': account, 'region': region}
    end = dynamodb.stream_end_position(table, **scope)
    position = lambda_svc._dynamodb_stream_positions.get_scoped(account, region, source['UUID'], end)
    return end - position > source.get('BatchSize', 100)

def read_behind():
    behind = [source for source in all_sources() if is_behind(*source)]
    token = only.set(behind)
    try:
        return len(behind) > 0 and read_streams()
    finally:
        only.reset(token)

def read_more():
    processed = read_streams()
    rounds = 0
    while rounds < stream_rounds_max and read_behind():
        rounds += 1
    return processed

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

lambda_svc._iter_all_esms, lambda_svc._poll_dynamodb_streams = sources, read_more
lambda_svc._poll_sqs = take_all
sqs._receive_messages_for_esm, sqs._delete_messages_for_esm = take_of_visible, delete_in_place
