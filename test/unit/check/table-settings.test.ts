/** `npm run check` names what a table of the stage lacks of its declaration. */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { tableShapes } from '../../../shared/contract/tables.ts';
import { checkTables } from '../../check/table-settings.ts';

interface Settings {
  readonly stream?: string;
  readonly recovery?: 'ENABLED' | 'DISABLED';
  readonly purged?: string;
}

/** A DynamoDB whose tables have these settings. */
const dynamo = (settings: Settings | undefined) =>
  ({
    send: async (command: { readonly input: unknown }) => {
      if (settings === undefined) throw new ResourceNotFoundException({ message: 'none', $metadata: {} });
      if (command instanceof DescribeTableCommand)
        return {
          Table: {
            TableStatus: 'ACTIVE',
            StreamSpecification: settings.stream && {
              StreamEnabled: true,
              StreamViewType: settings.stream,
            },
          },
        };
      if (command instanceof DescribeContinuousBackupsCommand)
        return {
          ContinuousBackupsDescription: {
            PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: settings.recovery },
          },
        };
      return {
        TimeToLiveDescription: settings.purged && {
          TimeToLiveStatus: 'ENABLED',
          AttributeName: settings.purged,
        },
      };
    },
  }) as unknown as DynamoDBClient;

const good: Settings = { stream: 'NEW_AND_OLD_IMAGES', recovery: 'ENABLED', purged: 'purge_at' };

it.each<[string, Settings | undefined, readonly unknown[]]>([
  ['nothing is wrong', good, []],
  ['no recovery', { ...good, recovery: 'DISABLED' }, ['gateway-messages: it has no point-in-time recovery']],
  ['old rows stay', { ...good, purged: 'expires' }, [expect.stringContaining('(TTL)')]],
  ['a stream of keys', { ...good, stream: 'KEYS_ONLY' }, [expect.stringContaining('its stream')]],
  ['the table was deleted', undefined, ['gateway-messages: it does not exist']],
])('%s', async (_name, settings, problems) => {
  const found = await checkTables(dynamo(settings), { messages: 'gateway-messages' }, tableShapes);
  expect(found).toEqual(problems);
});

it('nothing is asked of a table that does not promise it', async () => {
  const tables = { signing_keys: 'gateway-signing-keys', rate_counters: 'gateway-rate-counters' };
  expect(await checkTables(dynamo({ purged: 'purge_at' }), tables, tableShapes)).toEqual([]);
});
