/** What endpoints get, and when. */

import {
  deliveryLeaseSeconds,
  retryDelaysSeconds,
} from '../../../../shared/contract/webhook-worker-times.ts';
import type { SimulatedClient } from '../scene.ts';
import type { Ended } from './ended.ts';
import { disabledEndpoints, distinct, type Invariant, takes } from './invariant.ts';
import { isResendOf } from './resends.ts';
import { signatureViolations } from './signatures.ts';

const finalStates = ['delivered', 'failed', 'expired'];

export const ofWebhooks = {
  'no webhook is sent without a signature': {
    promise: '7.4',
    check: ({ stage: { record } }) =>
      record.posted.flatMap(({ webhookId, url, headers }) =>
        /^v1,\S{20}/.test(headers['webhook-signature'] ?? '')
          ? []
          : [`${webhookId} to ${url} has no signature`],
      ),
  },
  'each state has its event': {
    promise: '6.5, 7.1',
    check: ({ accepted, stage: { record } }) =>
      distinct(accepted).flatMap(({ messageId, status, asked }) => {
        const url = Reflect.get(Object(asked.body), 'webhook_url') as string | undefined;
        if (status === undefined || url === undefined) return [];
        const posted = record.posted.filter(
          ({ event, url: to }) => event.data.message_id === messageId && to === url,
        );
        const missing = (status.history as { status: string }[]).filter(({ status: state }) => {
          const name = eventOf(status.channel, state);
          return (
            ['sent', 'delivered', 'read', 'failed', 'expired'].includes(state) &&
            !posted.some(({ event }) => event.event.endsWith(`.${name}`))
          );
        });
        return missing.map(
          ({ status: state }) => `${messageId} was ${state}, and its endpoint ${url} was not told`,
        );
      }),
  },
  'a webhook is repeated as documented': {
    promise: '7.3, 7.8, 7.12',
    check: ({ stage: { record, processDeaths, calls }, plan }) =>
      [...Map.groupBy(record.posted, ({ webhookId, url }) => `${webhookId} to ${url}`)].flatMap(
        ([name, posts]) => {
          const found: string[] = [];
          if (new Set(posts.map(({ event }) => JSON.stringify(event))).size > 1)
            found.push(`${name} has several bodies`);
          const resent = record.asked.some((one) => isResendOf(one, posts[0]));
          const died = posts.some(
            ({ process, fault, atMs }) =>
              fault !== undefined ||
              processDeaths.some(
                (death) => death.process === process && Math.abs(death.atMs - atMs) < 60_000,
              ),
          );
          // An attempt without a stored result is repeated after its lease.
          const unrecorded = posts.some(({ process, webhookId, atMs }) =>
            calls.some(
              (call) =>
                call.process === process &&
                call.fault !== undefined &&
                Math.abs(call.atMs - atMs - 30_000) <= 30_000 &&
                isWriteOf(webhookId, call.input),
            ),
          );
          // A worker whose clock is further ahead takes the lease of another for ended, and both post.
          if (resent || died || unrecorded || 2 * plan.skewMaxMs > deliveryLeaseSeconds * 1000) return found;
          const acknowledged = posts.findIndex(({ status }) => status === 200);
          if (acknowledged >= 0 && acknowledged < posts.length - 1)
            found.push(`${name} was acknowledged, and posted again`);
          for (const [index, { atMs }] of posts.slice(1).entries()) {
            const delaySeconds = retryDelaysSeconds[index];
            const before = posts[index];
            if (before === undefined || delaySeconds === undefined)
              found.push(`${name} was posted ${posts.length} times`);
            else if (atMs - before.endedAtMs < delaySeconds * 1000 - 2 * plan.skewMaxMs - 100)
              found.push(
                `${name} was repeated ${(atMs - before.endedAtMs) / 1000} s after its attempt ${index + 1}: early`,
              );
          }
          return found;
        },
      ),
  },

  'a webhook that a queue or schedule lost is posted within two minutes of its time': {
    promise: '7.12',
    check: ({ stage: { record } }) => [...record.overdueWebhooks],
  },

  'a receiver can verify every webhook': { promise: '7.4, 7.5, 7.6', check: signatureViolations },

  'each state has its event at the account’s URL and at each endpoint': {
    promise: '6.5, 7.1, 12.1',
    check: (ended) => {
      const { scene, listed, stage } = ended;
      const { record } = stage;
      return scene.clients.flatMap((client) => {
        const { clientId } = client;
        const own = record.asked.filter((one) => one.clientId === clientId);
        const urls = constantUrls(ended, client);
        if (own.some(({ route }) => route === 'adminApi')) return [];
        return (listed.get(clientId) ?? []).flatMap(({ message_id, direction, channel, ...message }) => {
          if (direction === 'inbound') return [];
          const asked = own.find(
            ({ body }) => message.reference && Reflect.get(Object(body), 'reference') === message.reference,
          );
          if (asked === undefined || Reflect.get(Object(asked.body), 'webhook_url') !== undefined) return [];
          const posted = record.posted.filter(({ event }) => event.data.message_id === message_id);
          const name = `${channel}.${eventOf(channel, message.status)}`;
          return urls.flatMap(({ url, sinceMs, events }) =>
            asked.atMs < sinceMs ||
            !finalStates.includes(message.status) ||
            !takes(events, name) ||
            posted.some((one) => one.url === url && one.event.event === name)
              ? []
              : [`${message_id} was ${message.status}, and ${url} was not told`],
          );
        });
      });
    },
  },
} as const satisfies Record<string, Invariant>;

function isWriteOf(webhookId: string, input: unknown): boolean {
  const item = Reflect.get(Object(input), 'Item');
  return Reflect.get(Object(Reflect.get(Object(item), 'delivery_id')), 'S') === webhookId;
}

function eventOf(channel: string, state: string): string {
  return channel === 'whatsapp' && state === 'expired' ? 'failed' : state;
}

/** The URLs that get the events of a client from some time on, by every clock, because nothing changed them. */
function constantUrls(
  ended: Ended,
  { clientId, webhookUrl }: SimulatedClient,
): { readonly url: string; readonly sinceMs: number; readonly events?: unknown }[] {
  const own = ended.stage.record.asked.filter((one) => one.clientId === clientId);
  const disabled = disabledEndpoints(ended);
  const account = own.some(({ route }) => route === 'updateAccount') ? [] : [{ url: webhookUrl, sinceMs: 0 }];
  const endpoints = own.flatMap(({ route, status, answer, answeredAtMs = 0 }) =>
    route === 'createWebhookEndpoint' &&
    status === 201 &&
    !disabled.has(answer.endpoint_id) &&
    !own.some(({ path }) => path.endsWith(answer.endpoint_id))
      ? [{ url: String(answer.url), sinceMs: answeredAtMs + 2 * ended.plan.skewMaxMs, events: answer.events }]
      : [],
  );
  return [...account, ...endpoints];
}
