/**
 * What the emulator forgets over a restart: of a table's stream it keeps how far a function has read, and not the
 * records, so that nothing new is read before as many have come again. With this, run before it, it keeps the records
 * that were not read yet, and begins with them.
 */
export const keepStreams = `
import copy
from ministack.services import dynamodb, lambda_svc

get_state, load_tables, load_functions = dynamodb.get_state, dynamodb.load_persisted_state, lambda_svc.load_persisted_state

def unread_records():
    unread = dynamodb.AccountRegionScopedDict()
    for account, region, mapping in lambda_svc._iter_all_esms():
        source = mapping.get('EventSourceArn', '')
        if ':dynamodb:' not in source:
            continue
        table = source.split('/stream/')[0].split('/')[-1]
        # Read before the records are: one too many is seen twice, one too few never.
        position = lambda_svc._dynamodb_stream_positions.get_scoped(account, region, mapping['UUID'], 0)
        scope = {'account_id': account, 'region': region}
        first = dynamodb.stream_start_position(table, **scope)
        records = dynamodb.stream_live_records(table, **scope)[max(0, position - first):]
        unread.set_scoped(account, region, table, copy.deepcopy(records))
    return unread

def state_with_streams():
    return {**get_state(), 'unread_stream_records': unread_records()}

def tables_with_streams(data):
    load_tables(data)
    dynamodb._stream_records.update(data.get('unread_stream_records', {}))

def functions_without_positions(data):
    load_functions({key: value for key, value in data.items() if key != 'dynamodb_stream_positions'})

dynamodb.get_state = state_with_streams
dynamodb.load_persisted_state = tables_with_streams
lambda_svc.load_persisted_state = functions_without_positions
`;
