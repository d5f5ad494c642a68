/**
 * One client's campaign, scheduled for one second, beside another client's messages, while no schedule can be created; the
 * campaign's endpoint refuses every webhook, so that each waits for its retries after hours too.
 */
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { type Gateway, simulatedGateway } from '../simulation/gateway.ts';
import type { Fault } from '../simulation/processes.ts';
import { aMessage } from './example-message.ts';

export const runStart = new Date('2026-11-20T10:00:00.000Z');

interface CampaignRun {
  /** From the request of the other client's messages, and from the time of the campaign's, to their hand-overs. */
  readonly otherSeconds: readonly number[];
  readonly campaignSeconds: readonly number[];
  /** How late the retries of the campaign's webhooks were. */
  readonly retriesLateSeconds: readonly number[];
}

/** @param fault - of each call that creates a schedule */
export async function runBesideCampaign(messages: number, fault: Fault): Promise<CampaignRun> {
  const dueAt = addSeconds(runStart, 7200.4);
  const simulation = simulatedGateway({
    startAt: runStart,
    fault: (call) => (call === 'schedule' ? fault : undefined),
    answer: (_deliveryId, _postNumber, clientId) => ({
      afterMs: 50,
      status: clientId === 'noisy' ? 500 : 200,
    }),
    accountUrlOf: (clientId) => `https://${clientId}.example.com/hook`,
    clientIds: ['noisy', 'other'],
  });
  const { noisy, others } = messagesBeside(simulation, messages, (at) => ({
    status: 'scheduled',
    scheduled_at: dueAt.toISOString(),
    expires_at: addSeconds(at, 40_000).toISOString(),
  }));
  // Until the last retry, six hours and more after the event.
  await simulation.run(7200 + 27_000);
  const deliveries = await Promise.all(
    noisy.map((id) => simulation.deliveries.get(derivedId('whd', id, 'sms.sent'))),
  );
  const retries = deliveries.flatMap((delivery) => delivery?.attempts.slice(1) ?? []);
  return {
    otherSeconds: await secondsToHandOver(simulation, others),
    campaignSeconds: await secondsToHandOver(simulation, noisy),
    retriesLateSeconds: retries.map(({ lateness_ms }) => lateness_ms / 1000),
  };
}

/** Eight messages a second, three in four of a noisy client; returns the ids of each. */
export function messagesBeside(
  simulation: Gateway,
  messages: number,
  ofNoisy: (at: Date) => Partial<Message> = () => ({}),
): { readonly noisy: readonly string[]; readonly others: readonly string[] } {
  const ids = { noisy: [] as string[], others: [] as string[] };
  for (let index = 0; index < messages; index += 1) {
    const at = addSeconds(runStart, index / 8);
    const isNoisy = index % 4 !== 0;
    const message_id = derivedId('msg', String(index));
    (isNoisy ? ids.noisy : ids.others).push(message_id);
    const { webhook_url: _url, ...message } = aMessage({
      message_id,
      client_id: isNoisy ? 'noisy' : 'other',
      status: 'queued',
      created_at: at.toISOString(),
      queued_at: at.toISOString(),
      expires_at: addSeconds(at, 40_000).toISOString(),
      ...(isNoisy ? ofNoisy(at) : {}),
    });
    simulation.world.time.at(at.getTime(), () => void simulation.messages.create(message));
  }
  return ids;
}

/** Seconds from the creation of each message, or from its scheduled time, to its hand-over. */
export async function secondsToHandOver(simulation: Gateway, ids: readonly string[]): Promise<number[]> {
  const rows = await Promise.all(ids.map((id) => simulation.messages.get(id)));
  return rows.map((row) => {
    const from = row?.scheduled_at ?? row?.created_at ?? '';
    return (Date.parse(row?.sent_at ?? '') - Date.parse(from)) / 1000;
  });
}
