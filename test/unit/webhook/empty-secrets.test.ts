/** A list of secrets that a person emptied in the console gets a new one by the next rotation (contract 7.6). */
import { randomBytes } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import {
  createClient,
  issueWebhookSecret,
  rotateWebhookSecret,
} from '../../../shared/client/client-admin.ts';
import { dynamoWebhookSecretStore } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { accessTo } from '../../support/gateway/access.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const clock = () => created;

function withTables() {
  const tables = inMemoryTables();
  const empties = (client_id: string, list: string, endpointId?: string) =>
    tables.dynamo.send(
      new UpdateCommand({
        TableName: tables.names.client_secrets,
        Key: { client_id },
        UpdateExpression: `SET ${list} = :none`,
        ExpressionAttributeValues: { ':none': [] },
        ExpressionAttributeNames: endpointId === undefined ? undefined : { '#endpoint': endpointId },
      }),
    );
  return { tables, empties };
}

it.each(['live', 'test'] as const)('of a client, %s', async (mode) => {
  const { tables, empties } = withTables();
  const { admin } = accessTo(tables, created);
  const { client } = await createClient(admin, { name: 'Shop', scopes: ['messages'] }, created);
  const clientId = clientIdIn(mode, client.client_id);
  await empties(clientId, 'webhook_secrets');
  const { secret } = await rotateWebhookSecret(admin, clientId, clock);
  expect(await admin.webhookSecrets.find(clientId)).toMatchObject([{ secret }]);
});

it('of an endpoint, and of no endpoint that is not there', async () => {
  const { tables, empties } = withTables();
  const { endpoints } = inMemoryStores(tables);
  const { client_id, endpoint_id } = anEndpoint();
  await endpoints.create(anEndpoint(), { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() });
  await empties(client_id, 'endpoint_secrets.#endpoint', endpoint_id);
  const webhookSecrets = dynamoWebhookSecretStore(tables.dynamo, tables.names.client_secrets);
  const rotating = { webhookSecrets, random: randomBytes };
  const { secret } = await issueWebhookSecret(rotating, client_id, endpoint_id, clock);
  expect(await webhookSecrets.find(client_id, endpoint_id)).toMatchObject([{ secret }]);
  for (const clientId of [client_id, 'client-without-endpoints'])
    await expect(issueWebhookSecret(rotating, clientId, 'whe_deleted', clock)).rejects.toMatchObject({
      code: 'not_found',
    });
});
