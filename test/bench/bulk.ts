/**
 * Prints how long a bulk of 1,000 takes beside 1,000 single sends, on a gateway that it starts on this machine:
 * until the last 202, and until all are delivered. `npm run bench -- bulk [messages]`.
 */

import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { dynamo } from '../../shared/platform/aws/clients.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';

const total = Number(process.argv[2] ?? 1000);
/** As many as the local gateway works on at once. */
const inFlight = 16;

interface Times {
  readonly acceptedMs: number;
  readonly deliveredMs: number;
}

await startGateway();
try {
  const client = await newClient();
  // Starts the functions of both.
  await timesOf(() => sendSingly(client, 32));
  await timesOf(() => sendInBulk(client, 32));
  const bulk = await timesOf(() => sendInBulk(client, total));
  const singles = await timesOf(() => sendSingly(client, total));
  print('one bulk', bulk);
  print('single sends', singles);
  const ratio = (of: keyof Times): string => (singles[of] / bulk[of]).toFixed(1);
  console.log(
    `the bulk is accepted ${ratio('acceptedMs')} times sooner, delivered ${ratio('deliveredMs')} times`,
  );
} finally {
  await stopGateway();
}

async function timesOf(send: () => Promise<string[]>): Promise<Times> {
  const began = performance.now();
  const ids = await send();
  const acceptedMs = performance.now() - began;
  const messages = dynamoMessageStore(dynamo(), {
    tableName: gateway().tables.messages ?? '',
    retentionDays: 1,
  });
  await eventually(
    async () => {
      const rows: { readonly status: string }[] = [];
      for (let from = 0; from < ids.length; from += 1000) {
        rows.push(...(await messages.getMany(ids.slice(from, from + 1000))));
      }
      const delivered = rows.filter((row) => row.status === 'delivered').length;
      return delivered === ids.length ? true : undefined;
    },
    { withinSeconds: 600, everyMilliseconds: 500 },
  );
  return { acceptedMs, deliveredMs: performance.now() - began };
}

async function sendInBulk(client: TestClient, count: number): Promise<string[]> {
  const recipients = numbers(count).map((to, index) => ({ to, variables: { name: `N${index}` } }));
  const { status, body } = await client.post('/api/v1/sms/bulk', { message: 'Hello {{name}}', recipients });
  if (status !== 202 || body.accepted !== count) throw new Error(JSON.stringify(body));
  return (body.messages as { message_id: string }[]).map(({ message_id }) => message_id);
}

async function sendSingly(client: TestClient, count: number): Promise<string[]> {
  const left = numbers(count);
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let to = left.pop(); to !== undefined; to = left.pop()) {
        const { status, body } = await client.post('/api/v1/sms/send', { to, message: 'Hello' });
        if (status !== 202) throw new Error(JSON.stringify(body));
        ids.push(String(body.message_id));
      }
    }),
  );
  return ids;
}

/** All different. */
function numbers(count: number): string[] {
  const chosen = new Set<string>();
  while (chosen.size < count) chosen.add(freshNumber());
  return [...chosen];
}

function print(name: string, { acceptedMs, deliveredMs }: Times): void {
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(2);
  console.log(
    `${total} by ${name}: accepted in ${seconds(acceptedMs)} s, delivered in ${seconds(deliveredMs)} s`,
  );
}
