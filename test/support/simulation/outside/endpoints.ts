/** The endpoints of clients: each URL names what its endpoint does. */
import type { FaultRates, Faults } from '../faults.ts';
import type { Process } from '../lambda/processes.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { OutsideRecord } from './record.ts';

export const endpointKinds = [
  'ok',
  'ok',
  'slow',
  'flaky',
  'refuses-twice',
  'hangs-once',
  'down',
  'down',
] as const;
export type EndpointKind = (typeof endpointKinds)[number];

/** `https://refuses-twice.example.com/acme`. */
export function endpointUrl(kind: EndpointKind, path: string): string {
  return `https://${kind}.example.com/${path}`;
}

/** The URL of an endpoint that is down until then. */
export function recoveringUrl(atMs: number, path: string): string {
  return `https://down-until-${Math.round(atMs)}.example.com/${path}`;
}

/** The URL of an endpoint that is down but for the time between these. */
export function recoversForATimeUrl(fromMs: number, untilMs: number, path: string): string {
  return `https://up-${Math.round(fromMs)}-${Math.round(untilMs)}.example.com/${path}`;
}

/** Returns the behaviour of an endpoint at this time, by the name in its URL. */
function kindAt(url: string, nowMs: number): string {
  const name = new URL(url).hostname.split('.')[0] ?? '';
  const [, fromMs, untilMs = Infinity] =
    /^down-until-(\d+)$/.exec(name) ?? /^up-(\d+)-(\d+)$/.exec(name) ?? [];
  if (fromMs === undefined) return name;
  return nowMs >= Number(fromMs) && nowMs < Number(untilMs) ? 'ok' : 'down';
}

interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const rates: FaultRates = { 'dies before': 0.003, 'dies after': 0.003, 'no answer': 0.005 };

export function simulatedEndpoints(time: VirtualTime, faults: Faults, record: OutsideRecord) {
  const posts = new Map<string, number>();

  /** After how long an endpoint answers the so-many-th POST of a webhook, and with which status; none if it hangs. */
  function answerOf(kind: string, webhookId: string, post: number, point: string) {
    const quick = faults.durationMs(`${point} endpoint`, 20, 600);
    switch (kind) {
      case 'slow':
        return { afterMs: 2000 + quick, status: 200 };
      case 'flaky':
        return { afterMs: quick, status: faults.random(`${webhookId} ${post}`)() < 0.5 ? 500 : 200 };
      case 'refuses-twice':
        return { afterMs: quick, status: post <= 2 ? 503 : 200 };
      case 'hangs-once':
        return post === 1 ? { afterMs: 5000, status: undefined } : { afterMs: quick, status: 200 };
      case 'down':
        return { afterMs: 10, status: 502 };
      default:
        return { afterMs: quick, status: 200 };
    }
  }

  return function post(process: Process, { url, headers, body }: PostRequest): Promise<unknown> {
    const kind = kindAt(url, time.now());
    const { fault, point } = faults.decide(`POST to ${kind}`, rates, time.now());
    const webhookId = headers['webhook-id'] ?? '';
    return new Promise((resolve) => {
      if (fault === 'dies before') return process.die();
      const count = (posts.get(webhookId) ?? 0) + 1;
      posts.set(webhookId, count);
      const { afterMs, status } =
        fault === 'no answer'
          ? { afterMs: 5000, status: undefined }
          : answerOf(kind, webhookId, count, point);
      const event: unknown = JSON.parse(body);
      record.posted.push({
        atMs: time.now(),
        endedAtMs: time.now() + afterMs,
        url,
        webhookId,
        headers,
        body,
        event,
        status,
        fault,
        process: process.id,
      });
      if (fault === 'dies after') return time.at(time.now() + 5, () => process.die());
      const failure =
        status === undefined
          ? { error: 'timeout', errorMessage: 'no response in time' }
          : status === 200
            ? {}
            : { error: 'not_200', errorMessage: `status ${status}` };
      time.at(time.now() + afterMs, () =>
        process.arrives(() =>
          resolve({
            timings: { totalMs: afterMs },
            reusedConnection: false,
            address: '203.0.113.1',
            status,
            headers: {},
            bodyStart: '',
            ...failure,
          }),
        ),
      );
    });
  };
}
