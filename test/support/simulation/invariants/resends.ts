/** Webhooks that are sent again because a client asks for it. */
import { isDeepStrictEqual } from 'node:util';
import { retryDelaysSeconds } from '../../../../shared/contract/webhook-worker-times.ts';
import type { Asked, Posted } from '../outside/record.ts';
import { disabledEndpoints, type Invariant, timeOf } from './invariant.ts';

/** The clocks of who asks for a resend and of who delivers may differ by so much. */
const clocksDifferMs = 5000;
/** How long at least, and at most while it is not completed, the same request to resend many is the same. */
const [sameForMs, sameAtMostMs] = [600_000, 5.5 * 3_600_000];

export const ofResends = {
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
export interface Shown {
  readonly delivery_id: string;
  readonly endpoint_id: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly url: string;
  readonly created_at: string;
  readonly finished_at: string;
}

/** Returns true if the request resends the webhook. */
export function isResendOf(
  { clientId, route, path, body, answer, status = 500 }: Asked,
  posted: Posted | undefined,
): boolean {
  if (posted === undefined || clientId !== posted.event.data.client_id) return false;
  if (route === 'resendWebhookDelivery') return path.includes(posted.webhookId);
  const { origin, since } = Object(body) as { readonly origin?: string; readonly since?: string };
  return (
    route === 'resendWebhookDeliveries' &&
    // A request is stored before it is answered, so one that got an error may resend, too.
    (answer?.resend_id !== undefined || status >= 500) &&
    new URL(posted.url).origin === origin &&
    posted.event.timestamp >= String(since)
  );
}
