/** Endpoints: what they asked for, how often and when a webhook is tried, and resends of many. */

import { isDeepStrictEqual } from 'node:util';
import { endpointDisabledEvent } from '../../../../shared/contract/webhook-events.ts';
import { disabledAfter } from '../../../../shared/webhook/deliver/disable-endpoint.ts';
import { retryDelaysSeconds } from '../../../../shared/webhook/delivery.ts';
import { endpointsMax } from '../../../../shared/webhook/webhook-endpoint.ts';
import type { Asked, Posted } from '../outside/record.ts';
import { disabledEndpoints, type Invariant, isCalm, takes, timeOf } from './invariant.ts';

/** An attempt that began before a change may still post after it. */
const inFlightMs = 60_000;
/** Two seconds, and what waits in a queue behind others. */
const lateMaxMs = 30_000;
/** The clocks of who asks for a resend and of who delivers may differ by so much. */
const clocksDifferMs = 5000;
/** A sweep that failed is repeated within this time. */
const settledMs = 900_000;
/** The retry that is due latest after five days. */
const disabledMaxMs = disabledAfter.days * 86_400_000 + 60_000;
/** How long at least, and at most while it is not completed, the same request to resend many is the same. */
const [sameForMs, sameAtMostMs] = [600_000, 5.5 * 3_600_000];
const resendRoutes: readonly string[] = ['resendWebhookDelivery', 'resendWebhookDeliveries', 'adminApi'];

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
      const { skewMaxMs } = ended.plan;
      if (!isCalm(ended) || isResent || skewMaxMs > 5000) return [];
      return [...Map.groupBy(record.posted, ({ webhookId, url }) => `${webhookId} to ${url}`)].flatMap(
        ([name, attempts]) =>
          attempts.slice(1).flatMap(({ atMs }, i) => {
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
  'what had failed is sent again once for each request': {
    promise: '7.9, 12.4',
    check: ({ plan, stage: { record, processDeaths } }) => {
      const byWebhook = Map.groupBy(record.posted, ({ webhookId, url }) => `${webhookId} to ${url}`);
      return [...byWebhook].flatMap(([name, posts]) => {
        const failedMs = posts[retryDelaysSeconds.length]?.atMs;
        if (failedMs === undefined) return [];
        const requests = record.asked.filter(
          (one) => isResendOf(one, posts[0]) && one.atMs > failedMs + 120_000 + 2 * plan.skewMaxMs,
        );
        const [first] = requests;
        // An attempt that a worker did not record was made again, so there may be more posts than attempts.
        if (first === undefined || posts.some((one) => one.atMs <= first.atMs && one.status === 200))
          return [];
        const again = posts.filter(({ atMs }) => atMs > first.atMs);
        const most = new Set(
          requests.map(
            ({ route, answer, atMs }) => (route === 'resendWebhookDeliveries' && answer?.resend_id) || atMs,
          ),
        );
        const isExcused = again.some(
          ({ process, fault }) =>
            fault !== undefined || processDeaths.some((death) => death.process === process),
        );
        if (again.length > most.size && !isExcused)
          return [`${name} was sent again ${again.length} times, and asked for ${most.size} times`];
        return again.length === 0 && requests.some(({ status, lost }) => status === 202 && lost !== true)
          ? [`${name} had failed, was asked for at ${timeOf(first.atMs)}, and was not sent again`]
          : [];
      });
    },
  },
  'what is shown as failed is sent again when that is asked for': {
    promise: '12.4',
    check: (ended) => {
      const { plan, stage } = ended;
      const { record } = stage;
      const isChanged = (endpointId: string | null): boolean =>
        endpointId !== null &&
        (disabledEndpoints(ended).has(endpointId) ||
          record.asked.some(({ path }) => path.endsWith(endpointId)));
      return record.asked.flatMap((list) => {
        if (list.route !== 'listWebhookDeliveries' || list.status !== 200) return [];
        const requests = record.asked.filter(
          ({ route, clientId, status, body, atMs }, i) =>
            route === 'resendWebhookDeliveries' &&
            status === 202 &&
            clientId === list.clientId &&
            Reflect.get(Object(body), 'state') === 'failed' &&
            atMs >= (list.answeredAtMs ?? Infinity) &&
            // The same request again is the one before.
            !record.asked.slice(0, i).some((before) => isDeepStrictEqual(before.body, body)),
        );
        const shown: readonly Shown[] = list.answer.webhook_deliveries;
        return shown.flatMap((one) => {
          if (one.state !== 'failed' || isChanged(one.endpoint_id)) return [];
          const asked =
            requests.find(
              ({ body, atMs }) =>
                Reflect.get(Object(body), 'origin') === new URL(one.url).origin &&
                one.created_at >= String(Reflect.get(Object(body), 'since')) &&
                Date.parse(one.finished_at) <= atMs - plan.skewMaxMs + clocksDifferMs,
            ) ??
            record.asked.find(
              ({ route, path, status, atMs }) =>
                route === 'resendWebhookDelivery' &&
                path.includes(one.delivery_id) &&
                status === 202 &&
                atMs >= (list.answeredAtMs ?? Infinity),
            );
          const isSent = record.posted.some(
            ({ webhookId, atMs }) => webhookId === one.delivery_id && atMs > list.atMs,
          );
          return asked === undefined || isSent
            ? []
            : [
                `${one.delivery_id} was shown as failed, was asked for at ${timeOf(asked.atMs)}, and not sent again`,
              ];
        });
      });
    },
  },
  'a webhook is shown as failed only after all its attempts': {
    promise: '7.8, 7.9',
    check: ({ stage: { record } }) =>
      record.asked.flatMap(({ route, status, answer, atMs }) => {
        // What was acknowledged and is sent again fails after one more attempt.
        const isResent = record.asked.some((one) => resendRoutes.includes(one.route) && one.atMs < atMs);
        if (route !== 'listWebhookDeliveries' || status !== 200 || isResent) return [];
        const shown: readonly Shown[] = answer.webhook_deliveries;
        return shown.flatMap(({ delivery_id, state, attempts, last_error }) => {
          const isWithdrawn = last_error?.startsWith('the endpoint was ') === true;
          return state === 'failed' && !isWithdrawn && attempts <= retryDelaysSeconds.length
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
      // The time of its end is that of a worker's clock, as is the time of its first failure.
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
  'the same request is the same resend until it is completed, and for ten minutes': {
    promise: '12.4',
    check: ({ plan: { skewMaxMs }, stage: { record } }) => {
      const taken = record.asked.filter(
        ({ route, status, body }) =>
          route === 'resendWebhookDeliveries' && status === 202 && !Reflect.has(Object(body), 'until'),
      );
      const same = Map.groupBy(taken, ({ clientId, body }) => `${clientId} ${JSON.stringify(body)}`);
      return [...same.values()].flatMap((requests) => {
        const ids = new Set(requests.map(({ answer }) => answer.resend_id));
        const shown = record.asked.filter(
          ({ route, status, answer }) =>
            route === 'getWebhookResend' && status === 200 && ids.has(answer.resend_id),
        );
        return shown.flatMap(({ answer: { resend_id, created_at, completed_at }, atMs }) => {
          const createdMs = Date.parse(created_at);
          const completedMs = completed_at === null ? atMs : Date.parse(completed_at);
          const untilMs = Math.min(Math.max(completedMs, createdMs + sameForMs), createdMs + sameAtMostMs);
          const others = shown.map(({ answer }) => Date.parse(answer.created_at));
          return others.some((ms) => ms > createdMs && ms < untilMs - 2 * skewMaxMs)
            ? [
                `${resend_id} was the same until ${timeOf(untilMs)}, and asked for again before it was another`,
              ]
            : [];
        });
      });
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

/** A webhook in the log. */
interface Shown {
  readonly delivery_id: string;
  readonly endpoint_id: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly url: string;
  readonly created_at: string;
  readonly finished_at: string;
}

/** Whether the request asks for the webhook to be sent again. */
function isResendOf({ clientId, route, path, body, answer }: Asked, posted: Posted | undefined): boolean {
  if (posted === undefined || clientId !== posted.event.data.client_id) return false;
  if (route === 'resendWebhookDelivery') return path.includes(posted.webhookId);
  const { origin, since } = Object(body) as { readonly origin?: string; readonly since?: string };
  return (
    route === 'resendWebhookDeliveries' &&
    answer?.resend_id !== undefined &&
    new URL(posted.url).origin === origin &&
    posted.event.timestamp >= String(since)
  );
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
