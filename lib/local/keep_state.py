"""Extends what the emulator keeps over a restart; runs in its process before it starts.

Streams: the emulator keeps a function's position in a table's stream but not the records, so new records would be
skipped. This keeps the records that at least one function has not read, and starts with them.
Queues: no receiver outlives the emulator, so messages in flight are visible again at the next start.
Crashes: the emulator writes its state only when it stops. This also writes it while the emulator runs, for at most a
twentieth of the time, so that a killed emulator loses only seconds.

The services' states are written one after the other, so an item that moves between two services meanwhile would be
lost. `settle`, called before the last write, stops such movements while functions finish their calls.
"""
import copy, threading, time
from ministack import app
from ministack.core.persistence import save_all
from ministack.services import dynamodb, eventbridge, lambda_svc, scheduler, sqs

get_state, load_tables, load_functions = dynamodb.get_state, dynamodb.load_persisted_state, lambda_svc.load_persisted_state
load_queues = sqs.load_persisted_state

def unread_records():
    unread = dynamodb.AccountRegionScopedDict()
    for account, region, mapping in lambda_svc._iter_all_esms():
        source = mapping.get('EventSourceArn', '')
        if ':dynamodb:' not in source:
            continue
        table = source.split('/stream/')[0].split('/')[-1]
        # Read the position before the records: a record may then be processed twice, but none is skipped.
        position = lambda_svc._dynamodb_stream_positions.get_scoped(account, region, mapping['UUID'], 0)
        scope = {'account_id': account, 'region': region}
        first = dynamodb.stream_start_position(table, **scope)
        records = dynamodb.stream_live_records(table, **scope)[max(0, position - first):]
        if len(records) > len(unread.get_scoped(account, region, table, [])):
            unread.set_scoped(account, region, table, copy.deepcopy(records))
    return unread

def state_with_streams():
    return {**get_state(), 'unread_stream_records': unread_records()}

def tables_with_streams(data):
    load_tables(data)
    dynamodb._stream_records.update(data.get('unread_stream_records', {}))

def functions_without_positions(data):
    load_functions({key: value for key, value in data.items() if key != 'dynamodb_stream_positions'})

def queues_without_receivers(data):
    load_queues(data)
    now = time.time()
    for _scope, queue in sqs._queues.all_items():
        for message in queue['messages']:
            if message.get('receive_count', 0) > 0:
                message['visible_at'] = min(message['visible_at'], now)

dynamodb.get_state = state_with_streams
dynamodb.load_persisted_state = tables_with_streams
lambda_svc.load_persisted_state = functions_without_positions
sqs.load_persisted_state = queues_without_receivers

one_at_a_time = threading.Lock()

def save_alone(services):
    with one_at_a_time:
        save_all(services)

def save_now_and_then():
    took = 0
    while True:
        time.sleep(max(5, 20 * took))
        begun = time.monotonic()
        save_alone(app._build_persistence_save_dict())
        took = time.monotonic() - begun

# Start saving only after loading, or an empty state would overwrite the kept one.
def load_then_save():
    load_all()
    threading.Thread(target=save_now_and_then, daemon=True).start()

settling = threading.Event()
moving = []

def until_settling(module, name):
    work, running = getattr(module, name), threading.Lock()
    def one_pass():
        with running:
            return False if settling.is_set() else work()
    setattr(module, name, one_pass)
    moving.append(running)

for module, name in (
    (lambda_svc, '_poll_sqs'),
    (lambda_svc, '_poll_dynamodb_streams'),
    (scheduler, '_tick_schedules'),
    (eventbridge, '_tick_scheduled_rules'),
):
    until_settling(module, name)

def settle(within=30):
    settling.set()
    deadline = time.monotonic() + within
    for running in moving:
        if running.acquire(timeout=max(0, deadline - time.monotonic())):
            running.release()
    while lambda_svc._esm_inflight and time.monotonic() < deadline:
        time.sleep(0.05)

load_all, app._load_persisted_state, app.save_all = app._load_persisted_state, load_then_save, save_alone
