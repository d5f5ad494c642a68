/** Endpoints: what they asked for, how often and when a webhook is tried, and resends of many. */
import { retryDelaysSeconds } from '../../../../shared/contract/delivery-times.ts';
import { endpointsMax } from '../../../../shared/webhook/endpoints/webhook-endpoint.ts';
import type { Ended } from './ended.ts';
import { type Invariant, isCalm, timeOf } from './invariant.ts';

/** An attempt that began before a change may still post after it. */
const inFlightMs = 60_000;
/** Two seconds, and what waits in a queue behind others. */
const lateMaxMs = 30_000;
const resendRoutes: readonly string[] = ['resendWebhookDelivery', 'resendWebhookDeliveries', 'adminApi'];

export const ofEndpoints = {
  'an endpoint gets what it asks for, and nothing while it is disabled': {
    promise: '12.1',
    check: ({ stage: { record } }) =>
      endpointsOf(record.asked).flatMap(({ url, clientId, id }) => {
        const changes = record.asked.filter(
          ({ route, path, clientId: by }) =>
            by === clientId && path.endsWith(id) && /^(update|delete)WebhookEndpoint$/.test(route),
        );
        return record.posted.flatMap(({ url: to, atMs, event }) => {
          if (to !== url) return [];
          const known = changes.filter(({ answeredAtMs = Infinity }) => answeredAtMs < atMs - inFlightMs);
          const last = known.at(-1);
          const later = changes.some((one) => one.atMs < atMs && !known.includes(one));
          const state = last?.status === 200 ? last.answer : undefined;
          const beside = known.some((one) => one !== last && (one.answeredAtMs ?? 0) > (last?.atMs ?? 0));
          if (later || beside || state === undefined || known.some(({ lost }) => lost === true)) return [];
          if (state.enabled === false) return [`${url} got ${event.event} at ${timeOf(atMs)}, disabled`];
          const happenedMs = Date.parse(event.timestamp);
          const isAsked = !Array.isArray(state.events) || state.events.includes(event.event);
          const isTest = !String(event.data?.message_id ?? '').startsWith('msg_');
          const since = known.find(({ answer }) => Array.isArray(answer?.events))?.answeredAtMs ?? Infinity;
          return isAsked || isTest || happenedMs < since + inFlightMs || changes.length > 1
            ? []
            : [`${url} got ${event.event} of ${timeOf(happenedMs)}, which it did not ask for`];
        });
      }),
  },
  'a client has at most ten endpoints': {
    promise: '12.2',
    check: ({ stage: { record } }) =>
      record.asked.flatMap(({ route, status, answer, clientId, atMs }) =>
        route === 'listWebhookEndpoints' && status === 200 && answer.webhook_endpoints.length > endpointsMax
          ? [`${clientId} has ${answer.webhook_endpoints.length} endpoints at ${timeOf(atMs)}`]
          : [],
      ),
  },
  'a webhook that is never acknowledged has all its attempts': {
    promise: '7.8, 7.9',
    check: (ended) => {
      const { stage, scene } = ended;
      const { record, time } = stage;
      if (!isCalm(ended)) return [];
      const changed = new Set(record.asked.map(({ route }) => String(route)));
      if (['updateAccount', ...resendRoutes].some((route) => changed.has(route))) return [];
      const own = new Set(scene.clients.map(({ webhookUrl }) => webhookUrl));
      const posts = record.posted.filter(({ url }) => own.has(url));
      return [...Map.groupBy(posts, ({ webhookId, url }) => `${webhookId} to ${url}`)].flatMap(
        ([name, attempts]) => {
          const last = attempts.at(-1);
          const delaySeconds = retryDelaysSeconds[attempts.length - 1];
          if (
            last === undefined ||
            delaySeconds === undefined ||
            attempts.some(({ status }) => status === 200)
          )
            return [];
          return time.now() > last.atMs + 2 * delaySeconds * 1000 + 1_800_000
            ? [`${name} was tried ${attempts.length} times, the last time at ${timeOf(last.atMs)}`]
            : [];
        },
      );
    },
  },
  'a retry is not late where nothing goes wrong': {
    promise: '7.8',
    check: (ended) => {
      const { record } = ended.stage;
      const isResent = record.asked.some(({ route }) => resendRoutes.includes(route));
      if (!isCalm(ended) || isResent || ended.plan.skewMaxMs > 100) return [];
      return [...Map.groupBy(record.posted, ({ webhookId, url }) => `${webhookId} to ${url}`)].flatMap(
        ([name, attempts]) =>
          attempts.slice(1).flatMap(({ atMs }, i) => {
            const before = attempts[i];
            const delaySeconds = retryDelaysSeconds[i];
            if (before === undefined || delaySeconds === undefined) return [];
            const lateMs = atMs - before.atMs - 5000 - delaySeconds * 1000;
            return lateMs > lateMaxMs
              ? [`attempt ${i + 2} of ${name} was at least ${lateMs} ms late, at ${timeOf(atMs)}`]
              : [];
          }),
      );
    },
  },
  'a resend of many comes to its end': {
    promise: '12.4',
    check: ({ stage: { database } }) =>
      database.rows('WebhookDeliveries').flatMap((row) => {
        const { resend_id, status } = row as Record<string, { readonly S?: string } | undefined>;
        return resend_id?.S === undefined || status?.S === 'completed'
          ? []
          : [`the resend ${resend_id.S} is left ${status?.S}`];
      }),
  },
} as const satisfies Record<string, Invariant>;

function endpointsOf(asked: Ended['stage']['record']['asked']) {
  return asked.flatMap(({ route, status, answer, clientId }) =>
    route === 'createWebhookEndpoint' && status === 201
      ? [{ url: String(answer.url), clientId, id: String(answer.endpoint_id) }]
      : [],
  );
}
