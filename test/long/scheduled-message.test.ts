/** A scheduled message waits for its time on the deployed gateway; one that was canceled never goes out. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber, outboxOf, outboxOnce } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

let client: TestClient;
let scheduled: Awaited<ReturnType<typeof scheduleTwo>>;
beforeAll(async () => {
  client = await newClient();
  scheduled = await scheduleTwo();
});

/** The contract allows a message for 60 s ahead of when the gateway has its request, which a busy machine may delay. */
const leadsSeconds = [80, 160, 320];

/** Two messages for about as soon as the contract allows; the second of them is canceled. */
async function scheduleTwo() {
  const [kept, canceled] = [freshNumber(), freshNumber()];
  for (const lead of leadsSeconds) {
    const at = new Date(Date.now() + lead * 1000);
    const [keptId, canceledId] = await Promise.all([send(kept, at), send(canceled, at)]);
    if (canceledId !== undefined) {
      const response = await client.call('DELETE', `/api/v1/messages/${canceledId}`);
      expect(response.status).toBe(200);
    }
    if (keptId !== undefined && canceledId !== undefined) return { at, kept, keptId, canceled };
    if (keptId !== undefined) await client.call('DELETE', `/api/v1/messages/${keptId}`);
  }
  throw new Error('the gateway takes longer for a request than a message may be scheduled ahead');
}

/** The id of the message; undefined if its time had come too near. */
async function send(to: string, at: Date): Promise<string | undefined> {
  const body = { to, message: 'Later', scheduled_at: at.toISOString() };
  const response = await client.post('/api/v1/sms/send', body);
  if (response.status === 202) return String(response.body.message_id);
  expectRefusal(response, 400, 'invalid_request', ['scheduled_at']);
  return undefined;
}

describe('a scheduled message', () => {
  it('goes out at its time and not before; one that was canceled never does', async () => {
    const { at, kept, keptId, canceled } = scheduled;
    const status = await client.statusOnce(keptId, 'delivered');
    const history = status.history as { status: string; at: string }[];
    expect(history.map((entry) => entry.status)).toEqual(['scheduled', 'queued', 'sent', 'delivered']);
    expect(Date.parse(history[1]?.at ?? '')).toBeGreaterThanOrEqual(at.getTime());
    const [entry, ...more] = await outboxOnce(kept, 1);
    expect(more).toEqual([]);
    expect(Date.parse(entry?.at ?? '')).toBeGreaterThanOrEqual(at.getTime());
    expect(await outboxOf(canceled)).toEqual([]);
  });
});
