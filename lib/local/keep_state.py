"""Keeps the emulator's state over a restart; runs in its process before it starts.

A generation is a file with the state of all services at one moment. It is written by a forked process, which has the
memory of that moment: nothing moves between two services meanwhile, and the emulator only stops for the fork. The fork is
made by the thread of the event loop, so between two calls and never within one. A file gets its name when it is complete,
and the generation before it is kept, so a killed emulator and a full disk cost at most what was changed since.

Nothing is saved before the gateway is deployed, because CloudFormation cannot resume what was interrupted: a start that
was killed starts again, with the generation before it or with nothing. A damaged generation ends the start: an empty one
in its place would be taken for the truth.

Streams: the emulator keeps a function's position in a table's stream but not the records, so new records would be
skipped. This keeps the records that at least one function has not read, and starts with them.
Queues: no receiver outlives the emulator, so messages in flight are visible again at the next start.
"""
import asyncio, copy, gc, hashlib, json, os, re, select, shutil, signal, sys, threading, time

folder, objects = os.environ['STATE_DIR'], os.environ['S3_DATA_DIR']
blob_folder = os.path.join(folder, 'lambda-blobs')
kept_generations = 2
# Far longer than any save takes: a save that hangs must not be the last one.
save_within, report_to = 300, 3

def generation_file(number):
    return os.path.join(folder, f'generation-{number:08}.json')

def generations():
    found = (re.fullmatch(r'generation-(\d+)\.json', name) for name in os.listdir(folder))
    return sorted(int(match[1]) for match in found if match)

def files_of_services():
    """Files that earlier releases wrote, one for each service."""
    return sorted(name for name in os.listdir(folder) if re.fullmatch(r'[a-z_0-9]+\.json', name))

# What a start left that was killed before it was deployed. The emulator reads the objects when it is imported.
if not generations() and not files_of_services():
    for left in (folder, objects):
        shutil.rmtree(left)
        os.mkdir(left)

from ministack import app
from ministack.core import persistence
from ministack.services import dynamodb, eventbridge, lambda_svc, scheduler, sqs

def report(line):
    try:
        os.write(report_to, f'{line}\n'.encode())
    except OSError:
        pass  # The gateway's process has ended.

get_state, load_tables, load_functions = dynamodb.get_state, dynamodb.load_persisted_state, lambda_svc.load_persisted_state
load_queues, write_blob = sqs.load_persisted_state, lambda_svc._write_code_blob

def unread_records():
    unread = dynamodb.AccountRegionScopedDict()
    for account, region, mapping in lambda_svc._iter_all_esms():
        source = mapping.get('EventSourceArn', '')
        if ':dynamodb:' not in source:
            continue
        table = source.split('/stream/')[0].split('/')[-1]
        position = lambda_svc._dynamodb_stream_positions.get_scoped(account, region, mapping['UUID'], 0)
        scope = {'account_id': account, 'region': region}
        first = dynamodb.stream_start_position(table, **scope)
        records = dynamodb.stream_live_records(table, **scope)[max(0, position - first):]
        if len(records) > len(unread.get_scoped(account, region, table, [])):
            unread.set_scoped(account, region, table, records)
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

blobs = []

def write_named_blob(code):
    blobs.append(write_blob(code))
    return blobs[-1]

dynamodb.get_state = state_with_streams
dynamodb.load_persisted_state = tables_with_streams
lambda_svc.load_persisted_state = functions_without_positions
lambda_svc._write_code_blob, lambda_svc._prune_orphan_code_blobs = write_named_blob, lambda _referenced: None
sqs.load_persisted_state = queues_without_receivers

# Reading

def sha256(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()

def read_generation(path):
    """The payload of each service. Raises ValueError where the file, or one that it names, is not as it was written."""
    payloads, digest = {}, hashlib.sha256()
    with open(path, 'rb') as file:
        lines = file.readlines()
    for line in lines[:-1]:
        digest.update(line)
    last = json.loads(lines[-1]) if lines else {}
    if last.get('sha256') != digest.hexdigest():
        raise ValueError
    for blob in last['blobs']:
        code = os.path.join(blob_folder, f'{blob}.zip')
        if not os.path.exists(code) or sha256(code) != blob:
            raise ValueError(code)
    for line in lines[:-1]:
        entry = json.loads(line, object_hook=persistence._json_object_hook)
        payloads[entry['service']] = entry
    return payloads

def read_files_of_services():
    payloads = {}
    for name in files_of_services():
        path = os.path.join(folder, name)
        try:
            with open(path) as file:
                entry = json.load(file, object_hook=persistence._json_object_hook)
        except ValueError:
            raise ValueError(path)
        payloads[name.removesuffix('.json')] = entry if '__ministack_format__' in entry else {'payload': entry}
    return payloads

def load(payloads):
    for service, entry in payloads.items():
        if entry.get('__ministack_format__', 0) > persistence._state_format_version(service):
            raise ValueError(f'{service} was written by a later release')
        if entry['payload'] and service in app._state_map:
            app._get_module(app._state_map[service]).load_persisted_state(entry['payload'])

def load_kept():
    numbers = generations()
    path = generation_file(numbers[-1]) if numbers else folder
    try:
        load(read_generation(path) if numbers else read_files_of_services())
    except Exception as error:
        damaged = str(error) if str(error).startswith(folder) else path
        reason = '' if str(error) in ('', damaged) else f' ({type(error).__name__}: {error})'
        way_back = (
            f'To go back to the state before it, delete {path}' if len(numbers) > 1 else 'Restore that file'
        )
        report(f'refused {damaged} is damaged{reason}. Nothing was changed. {way_back}; or start with another folder.')
        os._exit(1)

# Writing

def write_generation(number):
    entries = {name: state() for name, state in app._build_persistence_save_dict().items()}
    path, digest = generation_file(number), hashlib.sha256()
    unfinished = f'{path}.unfinished'
    try:
        with open(unfinished, 'wb') as file:
            for service, payload in entries.items():
                if payload is None:
                    continue
                entry = {'service': service, '__ministack_format__': persistence._state_format_version(service)}
                line = json.dumps({**entry, 'payload': payload}, default=persistence._json_default).encode() + b'\n'
                digest.update(line)
                file.write(line)
            file.write(json.dumps({'sha256': digest.hexdigest(), 'blobs': sorted(set(blobs))}).encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise
    delete_older()

def delete_older():
    numbers = generations()
    kept = {f'{blob}.zip' for number in numbers[-kept_generations:] for blob in blobs_of(number)}
    for name in [os.path.basename(generation_file(number)) for number in numbers[:-kept_generations]] + files_of_services():
        os.remove(os.path.join(folder, name))
    for name in os.listdir(blob_folder) if os.path.exists(blob_folder) else []:
        if name not in kept:
            os.remove(os.path.join(blob_folder, name))

def blobs_of(number):
    with open(generation_file(number), 'rb') as file:
        return json.loads(file.readlines()[-1])['blobs']

def fork_to_save(number):
    """Returns the file in which the new process reports its failure; it is empty if it did not fail."""
    reading, writing = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    if process:
        os.close(writing)
        return process, reading
    try:
        gc.disable()
        # Nothing changes what this process reads.
        copy.deepcopy = lambda value, memo=None: value
        write_generation(number)
    except BaseException as error:
        os.write(writing, (str(error) or type(error).__name__).encode())
    finally:
        os._exit(0)

def outcome(process, reading):
    failure, deadline, read = b'', time.monotonic() + save_within, b' '
    # Not `select`: it refuses the 1,024th open file, and there is one for each connection.
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    while read:
        ready = poll.poll(max(0, deadline - time.monotonic()) * 1000)
        read = os.read(reading, 4096) if ready else b''
        failure += read
        if not ready:
            os.kill(process, signal.SIGKILL)
            failure = f'it took longer than {save_within} s'.encode()
    os.close(reading)
    _, status = os.waitpid(process, 0)
    if status != 0 and not failure:
        failure = b'the process that writes it was killed'
    return failure.decode(errors='replace').replace('\n', ' ')

def saved(fork):
    """Saves once. Whatever goes wrong is reported: an error must not end the thread that saves."""
    try:
        return outcome(*fork())
    except Exception as error:
        return f'{type(error).__name__}: {error}'.replace('\n', ' ')

keeping, saving = threading.Event(), threading.Event()
last_number = max(generations(), default=0)

# Both run in the thread of the event loop, so never at the same time.
async def fork_between_calls():
    global last_number
    last_number += 1
    saving.set()
    return fork_to_save(last_number)

def save_at_the_end(_services):
    if keeping.is_set():
        while saving.is_set():
            time.sleep(0.01)
        failure = saved(lambda: fork_to_save(last_number + 1))
        report(f'failed {failure}' if failure else 'ended')
    else:
        report('ended')

def save_now_and_then():
    keeping.wait()
    while True:
        begun = time.monotonic()
        failure = saved(lambda: asyncio.run_coroutine_threadsafe(fork_between_calls(), app._MAIN_LOOP).result())
        report(f'failed {failure}' if failure else 'saved')
        saving.clear()
        time.sleep(min(30, max(5, 4 * (time.monotonic() - begun))))

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
    """Starts no more functions, and waits for those that run: what they do would be done again after the restart."""
    settling.set()
    deadline = time.monotonic() + within
    for running in moving:
        if running.acquire(timeout=max(0, deadline - time.monotonic())):
            running.release()
    while lambda_svc._esm_inflight and time.monotonic() < deadline:
        time.sleep(0.05)

app._load_persisted_state, app.save_all = load_kept, save_at_the_end
