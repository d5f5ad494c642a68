/**
 * Infobip, the second carrier for SMS of some runs: what it answers to the messages for a number, which the seed and the number
 * decide, and its reports, which it signs and posts to the gateway until that has taken them. Some of them are lost, and it
 * tells
 * them to who asks; and some are of what it has refused.
 */
import { createHmac } from 'node:crypto';
import { duplicateMessageId, statusGroups } from '../../../../shared/carrier/infobip/infobip-statuses.ts';
import type { NotedCall } from '../aws/requests.ts';
import type { Faults } from '../faults.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { ApiRequest } from './api.ts';
import type { Asked, OutsideRecord, Published } from './record.ts';
import {
  behaviourOf,
  crossEarlier,
  type Given,
  isOnlyAskedAbout,
  type PendingReports,
  reportAll,
} from './reports.ts';
import type { Vendor, VendorResponse } from './vendor-calls.ts';

interface InfobipSettings {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly record: OutsideRecord;
  readonly pending: PendingReports;
  readonly throttles: boolean;
  readonly ask: (request: ApiRequest) => Promise<Asked>;
}

/** The sender of messages for which no row names one at this carrier. */
const defaultSender = '+447418367300';
const webhookSecret = 'the key with which its subscription signs';
export const infobipSecret = JSON.stringify({
  api_key: 'a key of the simulation',
  from: defaultSender.slice(1),
  webhook_secret: webhookSecret,
});
/** In US dollars. */
const pricePerPart = 0.005;
/** It posts a report again after each minute, for longer than any outage lasts. */
const postedAgainMs = 60_000;
const postsMax = 60;

const statuses = {
  pending: { groupId: statusGroups.pending, id: 26 },
  sent: { groupId: statusGroups.delivered, id: 2 },
  delivered: { groupId: statusGroups.delivered, id: 5 },
  read: { groupId: statusGroups.delivered, id: 5 },
  failed: { groupId: statusGroups.undeliverable, id: 9 },
  expired: { groupId: statusGroups.expired, id: 15 },
  duplicate: { groupId: statusGroups.rejected, id: duplicateMessageId },
  'refused for its recipient': { groupId: statusGroups.rejected, id: 51 },
  'refused for want of credit': { groupId: statusGroups.rejected, id: 12 },
} as const;

export function simulatedInfobip(settings: InfobipSettings) {
  const { time, faults, record, throttles, ask } = settings;
  const calls = new Map<string, number>();
  /** By attempt, what it has taken, and reported last. */
  const taken = new Map<string, { readonly parts: number; status: keyof typeof statuses }>();
  let unposted = 0;

  const drawn = (number: string): number =>
    isOnlyAskedAbout(number) ? 1 : faults.random(`${number} at Infobip`)();
  /** Two calls in three for one of these numbers fail. */
  function failsNow(number: string, kind: string): boolean {
    const count = (calls.get(`${kind} ${number}`) ?? 0) + 1;
    calls.set(`${kind} ${number}`, count);
    return count % 3 !== 0;
  }

  function reportOf(attemptId: string, status: keyof typeof statuses, atMs: number): object {
    return {
      messageId: attemptId,
      status: statuses[status],
      error: { id: 0 },
      doneAt: new Date(atMs).toISOString().replace('Z', '+0000'),
      messageCount: taken.get(attemptId)?.parts ?? 1,
      price: { pricePerMessage: pricePerPart, currency: 'USD' },
    };
  }

  async function post(results: readonly object[]): Promise<void> {
    const body = { results };
    const signature = createHmac('sha256', webhookSecret).update(JSON.stringify(body)).digest('hex');
    unposted += 1;
    for (let posts = 0; posts < postsMax; posts += 1) {
      const { status, lost } = await ask({
        ...{ clientId: 'infobip', credential: undefined, route: 'carrierCallback', method: 'POST', body },
        ...{ path: { carrier: 'infobip', proxy: 'reports' }, headers: { 'X-Signature': signature } },
      });
      if (status === 200 && lost !== true) break;
      await time.sleep(postedAgainMs);
    }
    unposted -= 1;
  }

  /** It reports a message that it has refused, too. */
  function reportRefused({ to, attemptId }: Given): void {
    if (faults.random(`${to} is reported although refused`)() > 0.6) return;
    const ms = faults.durationMs(`refused ${attemptId}`, 5, 4000);
    time.at(time.now() + ms, () =>
      post([{ ...reportOf(attemptId, 'failed', time.now()), price: undefined }]),
    );
  }

  function report({ messageId, attemptId, to }: Given, status: Published['status']): void {
    const atMs = time.now();
    const known = taken.get(attemptId);
    if (known !== undefined) known.status = status;
    const price = pricePerPart * (known?.parts ?? 1);
    const isLost = isOnlyAskedAbout(to) || faults.random(`${to} loses reports`)() < 0.15;
    const told = isLost ? record.untold : record.published;
    told.push({ atMs, carrier: 'infobip', messageId, attemptId, price, status });
    if (isLost) return;
    post([reportOf(attemptId, status, atMs)]);
  }

  /** Returns the refusal of a message to this number. Undefined if Infobip accepts it. */
  function refusalOf(given: Given): 'throttled' | keyof typeof statuses | undefined {
    if (taken.has(given.attemptId)) return 'duplicate';
    const share = drawn(given.to);
    if (share < 0.1) return 'refused for its recipient';
    if (share < 0.2) return 'refused for want of credit';
    return share < 0.3 && throttles && failsNow(given.to, 'throttled') ? 'throttled' : undefined;
  }

  function send(body: string, call: NotedCall): VendorResponse {
    const [{ sender, destinations, content }] = JSON.parse(body).messages;
    const attemptId = String(destinations[0].messageId);
    const given: Given = {
      ...{ messageId: attemptId.replace(/\.\d+$/, ''), attemptId },
      to: `+${destinations[0].to}`,
      from: String(sender).replace(/^(?=\d+$)/, '+'),
      text: content.text,
    };
    crossEarlier(settings, given);
    const refusedWith = refusalOf(given);
    const carrierMessageId = refusedWith === undefined ? attemptId : undefined;
    record.handOvers.push({
      ...{
        ...given,
        atMs: time.now(),
        channel: 'sms',
        carrier: 'infobip',
        carrierMessageId,
        refusedWith,
        call,
      },
    });
    if (refusedWith === 'refused for want of credit') reportRefused(given);
    if (refusedWith === 'throttled') return { status: 429, body: { errorCode: 'E429' } };
    if (refusedWith === undefined) {
      // As the gateway counts them: https://en.wikipedia.org/wiki/GSM_03.38 has 160 characters for one part.
      // For some messages it knows only that they were sent.
      const status = behaviourOf(given.to) === 'silent' ? 'sent' : 'pending';
      taken.set(attemptId, { parts: given.text.length > 160 ? 2 : 1, status });
      reportAll(settings, given, attemptId, (status) => report(given, status));
    }
    return { status: 200, body: { messages: [{ status: statuses[refusedWith ?? 'pending'] }] } };
  }

  const vendor: Vendor = {
    name: 'infobip',
    isReachable({ body }) {
      const number = /"to":"(\d+)"/.exec(body)?.[1];
      const share = number === undefined ? 0 : drawn(`+${number}`);
      return share < 0.3 || share > 0.4 || !failsNow(`+${number}`, 'unreachable');
    },
    answer({ method, url, body }, call) {
      if (method === 'POST') return send(body, call);
      const attemptId = url.searchParams.get('messageId') ?? '';
      const known = taken.get(attemptId);
      const results = known === undefined ? [] : [reportOf(attemptId, known.status, time.now())];
      return { status: 200, body: { results } };
    },
  };
  return { vendor, isBusy: () => unposted > 0 };
}
