/** Rate limits and caps, recounted from the requests and their answers (contract, sections 4 and 10). */

import { settingsIdOf } from '../../../../shared/contract/mode.ts';
import { type PolicyName, policies } from '../../../../shared/contract/rate-limits-and-caps.ts';
import { routes } from '../../../../shared/contract/routes.ts';
import type { Asked, Edited } from '../outside/record.ts';
import type { Ended } from './ended.ts';
import { distinct, inForceWithinMs, type Range, rowsDuring, timeOf } from './invariant.ts';

export const windows = {
  per_minute: (at: Date) => at.toISOString().slice(0, 16),
  per_hour: (at: Date) => at.toISOString().slice(0, 13),
  per_day: (at: Date) => at.toISOString().slice(0, 10),
  per_month: (at: Date) => at.toISOString().slice(0, 7),
} as const;
export type Window = keyof typeof windows;
/** Only caps have months. */
type RateWindow = Exclude<Window, 'per_month'>;
const defaults = { per_minute: 'perMinute', per_hour: 'perHour', per_day: 'perDay' } as const;

export function limitViolations(ended: Ended): readonly string[] {
  const { plan, stage, scene } = ended;
  const { record } = stage;
  const found: string[] = [];
  for (const { clientId } of scene.clients) {
    for (const policy of ['sms_send', 'otp_send', 'whatsapp_send', 'sms_bulk'] as const) {
      const asked = record.asked.filter(
        (one) =>
          one.clientId === clientId &&
          one.route !== 'adminApi' &&
          one.route !== 'carrierCallback' &&
          routes[one.route].policy === policy,
      );
      for (const window of Object.keys(defaults) as RateWindow[])
        found.push(...ofWindow(asked, clientId, policy, window));
    }
    found.push(...ofRecipientsCap(clientId));
  }
  return found;

  function ofWindow(
    asked: readonly Asked[],
    clientId: string,
    policy: PolicyName,
    window: RateWindow,
  ): string[] {
    const sentences: string[] = [];
    const counted = asked.filter((one) => isCounted(one, policy));
    const groups = Map.groupBy(counted, (one) => windows[window](new Date(one.atMs)));
    const { endpoint } = policies[policy];
    for (const [name, requests] of groups) {
      const first = requests[0]?.atMs ?? 0;
      const last = Math.max(...requests.map(({ answeredAtMs = 0, atMs }) => Math.max(atMs, answeredAtMs)));
      const { high } = limitsDuring(
        record.edited,
        clientId,
        endpoint,
        window,
        first,
        last,
        policies[policy][defaults[window]],
      );
      // A request near an end may count in the window beside it: by the clock of its process, and when it arrives.
      const surely = requests.filter(({ atMs, answeredAtMs = atMs }) =>
        isWithin(atMs, answeredAtMs, window, plan.skewMaxMs),
      );
      if (surely.length > high)
        sentences.push(
          `${clientId} had ${surely.length} requests admitted to ${endpoint} in ${name}, above its limit of ${high} ${window}`,
        );
    }
    if (plan.severity > 0) return sentences;
    for (const refused of asked.filter(
      ({ answer, headers }) => answer?.error === 'rate_limit_exceeded' && isPolicyOf(headers, policy, window),
    )) {
      const name = windows[window](new Date(refused.atMs));
      const before = asked.filter(
        (one) =>
          !isRefusedBy(one, policy) &&
          one.atMs <= (refused.answeredAtMs ?? 0) &&
          // A request is counted at some time before its response, by the clock of its process.
          windows[window](new Date(one.atMs - plan.skewMaxMs)) <= name &&
          windows[window](new Date((one.answeredAtMs ?? one.atMs) + plan.skewMaxMs)) >= name,
      );
      const { low } = limitsDuring(
        record.edited,
        clientId,
        endpoint,
        window,
        refused.atMs,
        // A row that is edited meanwhile may be read before the request is counted.
        refused.answeredAtMs ?? refused.atMs,
        policies[policy][defaults[window]],
      );
      if (before.length < low && isWithin(refused.atMs, refused.answeredAtMs ?? 0, window, plan.skewMaxMs))
        sentences.push(
          `${clientId} was refused ${endpoint} at ${timeOf(refused.atMs)} after ${before.length} requests in ${name}, below its limit of ${low} ${window}`,
        );
    }
    return sentences;
  }

  /** A message counts in the windows of the request that stored it, however late a repeat under its key is answered. */
  function ofRecipientsCap(clientId: string): string[] {
    const times = distinct(ended.accepted).flatMap(({ client, status }) =>
      client.clientId === clientId && status !== undefined ? [Date.parse(status.created_at)] : [],
    );
    return (Object.keys(windows) as Window[]).flatMap((window) =>
      [...Map.groupBy(times, (atMs) => windows[window](new Date(atMs)))].flatMap(([name, some]) => {
        const [first, last] = [Math.min(...some) - plan.skewMaxMs, Math.max(...some) + plan.skewMaxMs];
        const { high } = limitsDuring(record.edited, clientId, 'messages', window, first, last, Infinity);
        return some.length > high
          ? [
              `${clientId} had ${some.length} recipients accepted in ${name}, above its cap of ${high} ${window}`,
            ]
          : [];
      }),
    );
  }
}

/** A refusal of the limit or of a credential counts in no window; of what the function did not answer it is not known. */
function isCounted(asked: Asked, policy: PolicyName): boolean {
  const { status = 0 } = asked;
  return status > 0 && status < 500 && status !== 401 && !isRefusedBy(asked, policy);
}

/** The limit of a recipient refuses in the same words, after the request was counted. */
function isRefusedBy({ answer, headers }: Asked, policy: PolicyName): boolean {
  const windows = Object.keys(defaults) as RateWindow[];
  return answer?.error === 'rate_limit_exceeded' && windows.some((one) => isPolicyOf(headers, policy, one));
}

function isWithin(fromMs: number, untilMs: number, window: Window, skewMs: number): boolean {
  const name = windows[window];
  return name(new Date(fromMs - skewMs)) === name(new Date(untilMs + skewMs));
}

function isPolicyOf(
  headers: Readonly<Record<string, string>> | undefined,
  policy: PolicyName,
  window: Window,
): boolean {
  const shown = headers?.['X-RateLimit-Policy'] ?? '';
  return shown.endsWith(`comment=${policy}_${window.replace('per_', '')}`);
}

/** The least and the greatest limit that can have been in force, from the edits of the client's row. */
export function limitsDuring(
  edited: readonly Edited[],
  clientId: string,
  endpoint: string,
  window: Window,
  fromMs: number,
  untilMs: number,
  byDefault: number,
): Range {
  // A test key has the limits of its client, and counts of its own.
  const owner = settingsIdOf(clientId);
  const edits = edited.filter(({ key }) => key.client_id === owner && key.endpoint === endpoint);
  const values = rowsDuring(edits, fromMs - inForceWithinMs, untilMs).map((row) =>
    Number(row?.[window] ?? byDefault),
  );
  return { low: Math.min(...values), high: Math.max(...values) };
}
