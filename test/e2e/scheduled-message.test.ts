/** A scheduled message waits for its time on the deployed gateway; one that was canceled never goes out. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber, outboxOf, outboxOnce } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';

let client: TestClient;
let scheduled: Awaited<ReturnType<typeof scheduleTwo>>;
beforeAll(async () => {
  client = await newClient();
  scheduled = await scheduleTwo();
});

/** Two messages for about as soon as the contract allows, which is 60 s ahead; the second of them is canceled. */
async function scheduleTwo() {
  const at = new Date(Date.now() + 80_000);
  const [kept, canceled] = [freshNumber(), freshNumber()];
  const send = async (to: string) => {
    const body = { to, message: 'Later', scheduled_at: at.toISOString() };
    const answer = await client.post('/api/v1/sms/send', body);
    expect(answer.status).toBe(202);
    return answer.body.message_id;
  };
  const [keptId, canceledId] = [await send(kept), await send(canceled)];
  const answer = await client.call('DELETE', `/api/v1/messages/${String(canceledId)}`);
  expect(answer.status).toBe(200);
  return { at, kept, keptId, canceled };
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
