/** Endpoints: what they asked for, and how often and when a webhook is tried. */

import { endpointDisabledEvent } from '../../../../shared/contract/webhook-events.ts';
import { retryDelaysSeconds } from '../../../../shared/contract/webhook-worker-times.ts';
import { disabledAfter } from '../../../../shared/webhook/deliver/disable-endpoint.ts';
import { endpointsMax } from '../../../../shared/webhook/webhook-endpoint.ts';
import type { Asked } from '../outside/record.ts';
import type { Ended } from './ended.ts';
import { disabledEndpoints, type Invariant, isCalm, lastFaultMs, takes, timeOf } from './invariant.ts';
import { isResendOf, type Shown } from './resends.ts';

/** An attempt that began before a change may still post after it. */
const inFlightMs = 60_000;
/** Two seconds, and what waits in a queue behind others. */
const lateMaxMs = 30_000;
/** An endpoint is disabled a quarter of an hour after an attempt. An alert that failed is repeated earlier. */
const settledMs = 1_000_000;
/** The retry that is due latest after five days. */
const disabledMaxMs = disabledAfter.days * 86_400_000 + 60_000;
/** An endpoint that has failed for less than this cannot have been disabled for it. */
const enabledForMs = (disabledAfter.days - 1) * 86_400_000;

export const ofEndpoints = {
  'an endpoint gets what it asks for, and nothing while it is disabled': {
    promise: '12.1',
    check: ({ plan, stage: { record } }) =>
      endpointsOf(record.asked).flatMap(({ url, clientId, id, created }) => {
        const changes = record.asked.filter(
          ({ route, path, clientId: by }) =>
            by === clientId && path.endsWith(id) && /^(update|delete)WebhookEndpoint$/.test(route),
        );
        return record.posted.flatMap(({ url: to, atMs, event }) => {
          if (to !== url) return [];
          const known = changes.filter(({ answeredAtMs = Infinity }) => answeredAtMs < atMs - inFlightMs);
          const last = known.at(-1);
          const later = changes.some((one) => one.atMs < atMs && !known.includes(one));
          const state = last === undefined ? created : last.status === 200 ? last.answer : undefined;
          const beside = known.some((one) => one !== last && (one.answeredAtMs ?? 0) > (last?.atMs ?? 0));
          if (later || beside || state === undefined || known.some(({ lost }) => lost === true)) return [];
          if (state.enabled === false) return [`${url} got ${event.event} at ${timeOf(atMs)}, disabled`];
          const happenedMs = Date.parse(event.timestamp);
          const isTest = !String(event.data?.message_id ?? '').startsWith('msg_');
          const since = known.find(({ answer }) => Array.isArray(answer?.events))?.answeredAtMs ?? 0;
          return takes(state.events, event.event) ||
            isTest ||
            // By the clock of who recorded it.
            happenedMs < since + inFlightMs + plan.skewMaxMs ||
            changes.length > 1
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
      const { record, time } = ended.stage;
      const changed = changedUrls(ended);
      // Three interruptions use up an attempt.
      const lastFault = lastFaultMs(ended);
      return [...Map.groupBy(record.posted, ({ webhookId, url }) => `${webhookId} to ${url}`)].flatMap(
        ([name, attempts]) => {
          const last = attempts.at(-1);
          const delaySeconds = retryDelaysSeconds[attempts.length - 1];
          if (last === undefined || delaySeconds === undefined || last.atMs < lastFault) return [];
          if (changed.has(last.url) || attempts.some(({ status }) => status === 200)) return [];
          if (record.asked.some((one) => isResendOf(one, last))) return [];
          return time.now() > last.atMs + 2 * delaySeconds * 1000 + 1_800_000
            ? [`${name} was tried ${attempts.length} times, and not again until ${timeOf(time.now())}`]
            : [];
        },
      );
    },
  },
  'a retry is not late where nothing goes wrong': {
    promise: '7.8',
    check: (ended) => {
      const { record } = ended.stage;
      const { skewMaxMs } = ended.plan;
      if (!isCalm(ended) || skewMaxMs > 5000) return [];
      return [...Map.groupBy(record.posted, ({ webhookId, url }) => `${webhookId} to ${url}`)].flatMap(
        ([name, attempts]) =>
          record.asked.some((one) => isResendOf(one, attempts[0]))
            ? []
            : attempts.slice(1).flatMap(({ atMs }, i) => {
                const before = attempts[i];
                const delaySeconds = retryDelaysSeconds[i];
                if (before === undefined || delaySeconds === undefined) return [];
                const lateMs = atMs - before.endedAtMs - delaySeconds * 1000 - 2 * skewMaxMs;
                return lateMs > lateMaxMs
                  ? [`attempt ${i + 2} of ${name} was at least ${lateMs} ms late, at ${timeOf(atMs)}`]
                  : [];
              }),
      );
    },
  },
  'a webhook is shown as failed only after all its attempts': {
    promise: '7.8, 7.9',
    check: ({ stage: { record } }) =>
      record.asked.flatMap(({ route, status, answer, clientId, atMs }) => {
        if (route !== 'listWebhookDeliveries' || status !== 200) return [];
        // A resend of an acknowledged webhook fails after one more attempt.
        const resends = record.asked.filter((one) => one.clientId === clientId && one.atMs < atMs);
        const isResent = (id: string): boolean =>
          resends.some(
            (one) =>
              one.route === 'resendWebhookDeliveries' ||
              (one.route === 'resendWebhookDelivery' && one.path.includes(id)),
          );
        const shown: readonly Shown[] = answer.webhook_deliveries;
        return shown.flatMap(({ delivery_id, state, attempts, last_error }) => {
          const isWithdrawn = last_error?.startsWith('the endpoint was ') === true;
          return state === 'failed' &&
            !isWithdrawn &&
            !isResent(delivery_id) &&
            attempts <= retryDelaysSeconds.length
            ? [`${delivery_id} was shown as failed at ${timeOf(atMs)}, after ${attempts} attempts`]
            : [];
        });
      }),
  },
  'a webhook that has failed is an entry of the activity log': {
    promise: '7.9',
    check: ({ stage: { record, database, time } }) => {
      const entered = new Set(
        database
          .rows('ActivityLog')
          .map((row) => Reflect.get(row.delivery_id ?? {}, 'S') as string | undefined),
      );
      return [...Map.groupBy(record.posted, ({ webhookId }) => webhookId)].flatMap(([webhookId, posts]) => {
        const last = posts[retryDelaysSeconds.length];
        const isFailed = last !== undefined && posts.every(({ status }) => status !== 200);
        return isFailed && time.now() > last.atMs + settledMs && !entered.has(webhookId)
          ? [
              `${webhookId} was not acknowledged in ${posts.length} attempts, and the activity log does not say so`,
            ]
          : [];
      });
    },
  },
  'an endpoint that acknowledges nothing for five days is disabled, not before, and the client is told': {
    promise: '12.5',
    check: (ended) => {
      const { record } = ended.stage;
      // A worker's clock sets the time of its end and of its first failure.
      const { skewMaxMs } = ended.plan;
      return endpointsOf(record.asked).flatMap(({ url, clientId, id }) => {
        const own = record.asked.filter((one) => one.clientId === clientId);
        const about = own.filter(({ path }) => path.endsWith(id));
        const read = about.findLast(({ route, status }) => route === 'getWebhookEndpoint' && status === 200);
        if (read === undefined || about.some(({ route }) => route === 'updateWebhookEndpoint')) return [];
        const disabledMs = read.answer.enabled ? undefined : Date.parse(read.answer.disabled_at);
        const endMs = disabledMs === undefined ? read.atMs : disabledMs + skewMaxMs;
        const posts = record.posted.filter((one) => one.url === url && one.atMs < endMs);
        const failing = posts.slice(posts.findLastIndex(({ status }) => status === 200) + 1);
        const sinceMs = failing[0]?.atMs ?? Infinity;
        if (disabledMs === undefined) {
          const last = failing.findLast(({ atMs }) => atMs < read.atMs - settledMs);
          const isOver =
            failing.length > disabledAfter.attempts + 1 && (last?.atMs ?? 0) > sinceMs + disabledMaxMs;
          return isCalm(ended) && isOver ? [`${url} failed since ${dateOf(sinceMs)}, and is enabled`] : [];
        }
        const found = [];
        const days = (disabledMs + 2 * skewMaxMs - sinceMs) / 86_400_000;
        if (days < disabledAfter.days - 0.001 || failing.length < disabledAfter.attempts)
          found.push(`${url} was disabled after ${failing.length} attempts in ${days.toFixed(2)} days`);
        const late = record.posted.find((one) => one.url === url && one.atMs > endMs + inFlightMs);
        if (late !== undefined) found.push(`${url} was disabled, and got a webhook at ${dateOf(late.atMs)}`);
        const others = endpointsOf(own).filter(
          (one) =>
            one.id !== id &&
            takes(one.created.events, endpointDisabledEvent) &&
            !own.some(({ path }) => path.endsWith(one.id)) &&
            !disabledEndpoints(ended).has(one.id) &&
            one.sinceMs < disabledMs - skewMaxMs,
        );
        return [
          ...found,
          ...others.flatMap((other) =>
            record.posted.some((one) => one.url === other.url && one.event.data.endpoint_id === id)
              ? []
              : [`${url} was disabled at ${dateOf(disabledMs)}, and ${other.url} was not told`],
          ),
        ];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/**
 * Whose webhooks may go elsewhere, or nowhere, after their first attempt: URLs of an account or an endpoint that was changed.
 */
function changedUrls(ended: Ended): ReadonlySet<string> {
  const { scene, stage } = ended;
  const { asked, posted } = stage.record;
  const accounts = asked.filter(({ route }) => route === 'updateAccount');
  const disabled = disabledEndpoints(ended);
  const endpoints = endpointsOf(asked).filter(({ url, id }) => {
    const posts = posted.filter((one) => one.url === url);
    return (
      disabled.has(id) ||
      asked.some(({ route, path }) => /^(update|delete)WebhookEndpoint$/.test(route) && path.endsWith(id)) ||
      (posts.at(-1)?.atMs ?? 0) - (posts[0]?.atMs ?? 0) > enabledForMs
    );
  });
  return new Set([
    ...accounts.map(({ body }) => String(Reflect.get(Object(body), 'webhook_url'))),
    ...scene.clients.flatMap(({ clientId, webhookUrl }) =>
      accounts.some((one) => one.clientId === clientId) ? [webhookUrl] : [],
    ),
    ...endpoints.map(({ url }) => url),
  ]);
}

function dateOf(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : 'never';
}

function endpointsOf(asked: readonly Asked[]) {
  return asked.flatMap(({ route, status, answer, clientId, answeredAtMs = 0 }) =>
    route === 'createWebhookEndpoint' && status === 201
      ? [
          {
            ...{ url: String(answer.url), clientId, id: String(answer.endpoint_id) },
            ...{ created: answer, sinceMs: answeredAtMs },
          },
        ]
      : [],
  );
}
