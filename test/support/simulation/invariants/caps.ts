/** What a cap and a limit say when they refuse, in runs in which nothing goes wrong: then all amounts are known. */
import { stageFrom } from '../../../../lib/stages/stages.ts';
import { costForCap } from '../../../../shared/contract/prices.ts';
import { deployments } from '../../template/deployments.ts';
import type { Asked } from '../outside/record.ts';
import { type Ended, sends } from './ended.ts';
import { distinct, type Invariant, isCalm, timeOf } from './invariant.ts';
import { limitsDuring, type Window, windows } from './limits.ts';

const { prices, caps: defaultCaps } = stageFrom(deployments.production ?? {});

export const ofCaps = {
  'the SMS that are accepted in a day and in a month cost no more than their caps': {
    promise: '10.2',
    check: ({ accepted, plan, stage: { record } }) => {
      const sms = distinct(accepted).filter(({ status }) => status?.channel === 'sms');
      return (['per_day', 'per_month'] as const).flatMap((window) => {
        const nameOf = ({ client, status }: (typeof sms)[number]): string =>
          `${client.clientId} ${windows[window](new Date(status.created_at))}`;
        return [...Map.groupBy(sms, nameOf)].flatMap(([name, messages]) => {
          const costs = messages.map(({ to, status: { segments } }) =>
            costForCap(prices, { channel: 'sms', recipient: to, country: 'GB', segments }),
          );
          const cost = costs.reduce((sum, one) => sum + one, 0);
          const times = messages.map(({ status }) => Date.parse(status.created_at));
          const { high } = limitsDuring(
            record.edited,
            name.split(' ')[0] ?? '',
            'spend',
            window,
            Math.min(...times) - plan.skewMaxMs,
            Math.max(...times) + plan.skewMaxMs,
            defaultCaps.spend?.[window === 'per_day' ? 'perDay' : 'perMonth'] ?? Infinity,
          );
          return cost > high + 1e-9
            ? [`${name}: SMS of ${cost.toFixed(4)} were accepted, above a spend cap of ${high} ${window}`]
            : [];
        });
      });
    },
  },
  'a cap refuses only what does not fit, and says how many would': {
    promise: '10.2, 10.3',
    check: (ended) => {
      const { record } = ended.stage;
      if (!isCalm(ended) || ended.plan.skewMaxMs > 100) return [];
      return record.asked.flatMap((refused) => {
        if (refused.answer?.error !== 'message_limit_reached') return [];
        const { clientId, atMs, answeredAtMs = atMs, body, answer } = refused;
        const window = /a (minute|hour|day|month) is reached/.exec(String(answer.message))?.[1];
        if (window === undefined) return [];
        const name = windows[`per_${window}` as Window];
        if (name(new Date(atMs - 2000)) !== name(new Date(answeredAtMs + 2000))) return [];
        const { low } = limitsDuring(
          record.edited,
          clientId,
          'messages',
          `per_${window}` as Window,
          atMs,
          atMs,
          0,
        );
        const used = usedBefore(ended, refused, name);
        const wanted = recipientsOf(body);
        const found = [];
        if (used.most + wanted <= low)
          found.push(
            `${clientId} was refused ${wanted} recipients at ${timeOf(atMs)} after ${used.most}, at a cap of ${low} a ${window}`,
          );
        const told = /: (\d+) of the \d+ recipients would have fitted/.exec(String(answer.message))?.[1];
        const hasSpend = record.edited.some(({ key }) => key.endpoint === 'spend');
        const room = Math.min(
          ...(Object.keys(windows) as Window[]).map((each) => {
            const limit = limitsDuring(record.edited, clientId, 'messages', each, atMs, atMs, Infinity);
            return limit.low - usedBefore(ended, refused, windows[each]).most;
          }),
        );
        if (told !== undefined && !hasSpend && used.least === used.most && Number(told) < room)
          found.push(
            `${clientId} was told at ${timeOf(atMs)} that ${told} recipients would have fitted, and there was room for ${room}`,
          );
        return found;
      });
    },
  },
  'administrators are told of a refusal by a spend cap': {
    promise: '10.4',
    check: (ended) => {
      const { record, database } = ended.stage;
      if (!isCalm(ended)) return [];
      const told = new Set(
        database
          .rows('ActivityLog')
          .filter((row) => String(Reflect.get(row.kind ?? {}, 'S')).startsWith('spend_cap_reached'))
          .map((row) => Reflect.get(row.client_id ?? row.of_client ?? {}, 'S')),
      );
      const refused = record.asked.filter(({ answer }) => answer?.error === 'spend_limit_reached');
      return [...new Set(refused.map(({ clientId }) => clientId))].flatMap((clientId) =>
        told.has(clientId) ? [] : [`${clientId} reached its spend cap, and the activity log does not say so`],
      );
    },
  },
  'a refusal by a limit names the window that resets last': {
    promise: '4.4',
    check: (ended) => {
      const { record } = ended.stage;
      if (!isCalm(ended) || ended.plan.skewMaxMs > 100) return [];
      return record.asked.flatMap((refused) => {
        const { clientId, route, answer, atMs, headers } = refused;
        if (route !== 'sendSms' || answer?.error !== 'rate_limit_exceeded') return [];
        const endpoint = 'POST /api/v1/sms/send';
        const edits = record.edited.filter(
          ({ key }) => key.client_id === clientId && key.endpoint === endpoint,
        );
        const perDay = edits[0]?.row?.per_day;
        const day = windows.per_day(new Date(atMs));
        const admitted = record.asked.filter(
          (one) =>
            one.clientId === clientId &&
            one.route === 'sendSms' &&
            one.answer?.error !== 'rate_limit_exceeded' &&
            (one.answeredAtMs ?? Infinity) < atMs &&
            windows.per_day(new Date(one.atMs - 2000)) === day,
        );
        const policy = headers?.['X-RateLimit-Policy'] ?? '';
        return edits.length === 1 && admitted.length === perDay && !policy.endsWith('_day')
          ? [`${clientId} used up its day, and was refused at ${timeOf(atMs)} by ${policy}`]
          : [];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

function recipientsOf(body: unknown): number {
  const recipients: unknown = Reflect.get(Object(body), 'recipients');
  return Array.isArray(recipients) ? recipients.length : 1;
}

/** How many recipients were counted in the window when a request was refused, at least and at most. */
function usedBefore(
  { stage: { record }, listed, tested }: Ended,
  refused: Asked,
  name: (at: Date) => string,
): { readonly least: number; readonly most: number } {
  const { clientId, atMs, answeredAtMs = atMs } = refused;
  const window = name(new Date(atMs));
  const messages = (listed.get(clientId) ?? tested.listed.get(clientId) ?? []).filter(
    ({ created_at }) =>
      name(new Date(Date.parse(created_at))) === window && Date.parse(created_at) <= answeredAtMs,
  );
  const beside = record.asked.filter(
    (one) =>
      one !== refused &&
      one.clientId === clientId &&
      sends.includes(one.route) &&
      one.atMs <= answeredAtMs &&
      (one.answeredAtMs ?? Infinity) >= atMs,
  );
  const besides = beside.reduce((sum, { body }) => sum + recipientsOf(body), 0);
  const legs = messages.filter(({ fallback_of }) => fallback_of).length;
  return { least: messages.length - legs - besides, most: messages.length + besides };
}
