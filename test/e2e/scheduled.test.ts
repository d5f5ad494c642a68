/** A message scheduled for the contract's shortest time ahead, on the deployed gateway, in real time. */
import { beforeAll, expect, it } from '@jest/globals';
import { freshNumber, outboxOf, type SendingClient, sendingClient } from '../support/sending-client.ts';

let client: SendingClient;
beforeAll(async () => {
  client = await sendingClient();
}, 120_000);

it('goes out at its time and not before; one that was canceled never does', async () => {
  const scheduledAt = new Date(Date.now() + 62_000);
  const scheduled_at = scheduledAt.toISOString();
  const [kept, canceled] = [freshNumber(), freshNumber()];
  const send = async (to: string) => {
    const { status, body } = await client.post('/api/v1/sms/send', { to, message: 'Later', scheduled_at });
    expect(status).toBe(202);
    return body.message_id;
  };
  const [keptId, canceledId] = [await send(kept), await send(canceled)];
  expect((await client.call('DELETE', `/api/v1/messages/${String(canceledId)}`)).status).toBe(200);

  const status = await client.statusOnce(keptId, 'delivered');
  const history = status.history as { status: string; at: string }[];
  expect(history.map((entry) => entry.status)).toEqual(['scheduled', 'queued', 'sent', 'delivered']);
  expect(Date.parse(history[1]?.at ?? '')).toBeGreaterThanOrEqual(scheduledAt.getTime());
  const [entry, ...more] = await outboxOf(kept);
  expect(more).toEqual([]);
  expect(Date.parse(entry?.at ?? '')).toBeGreaterThanOrEqual(scheduledAt.getTime());
  expect(await outboxOf(canceled)).toEqual([]);
}, 180_000);
