/** Derives a run from a seed: its theme, the faults of its world, and its steps. */

import type * as z from 'zod/mini';
import { policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import {
  type OnUnknownRules,
  type unknownDeadlines,
  usualOnUnknown,
  usualUnknownDeadlines,
} from '../../../shared/contract/variables.ts';
import { bulkRecipientsMax } from '../../../shared/message/send/bulk-recipients.ts';
import { type ActorName, actorNames, actors } from './actors/actors.ts';
import { type Theme, themes } from './actors/themes.ts';
import { between, oneOf, type Random, randomOf, wholeBetween } from './random.ts';
import type { Outage } from './stage.ts';

export interface Step {
  /** Its number, which its details depend on. */
  readonly id: string;
  readonly afterMs: number;
  readonly actor: ActorName;
  /** The index of the client. */
  readonly client: number;
}

/** An actor, and how often it acts. */
type Chosen = readonly [ActorName, number];
type Shares = Partial<Record<Theme, number>>;

export interface Plan {
  readonly seed: number;
  readonly theme: Theme;
  readonly startAt: Date;
  readonly severity: number;
  readonly focus: string | undefined;
  readonly skewMaxMs: number;
  readonly indexLagMaxMs: number;
  readonly schedulesPerSecond: number;
  readonly outages: readonly Outage[];
  readonly ttlDelayMs: number;
  /** True if carriers throttle the messages to some numbers, which slows every message of their sender. */
  readonly carriersThrottle: boolean;
  /** In order of preference. */
  readonly smsCarriers: readonly string[];
  /** When the rule for unknown outcomes applies, if not after the usual times. */
  readonly onUnknown: OnUnknownRules;
  readonly unknownDeadlines: Readonly<z.output<ReturnType<typeof unknownDeadlines>>>;
  readonly clientCount: number;
  readonly limits: readonly Readonly<Record<string, unknown>>[];
  readonly senders: readonly Readonly<Record<string, unknown>>[];
  readonly steps: readonly Step[];
}

/** Near the ends of minutes, hours, days, months and years too. */
const starts = [
  '2026-11-20T10:00:00Z',
  '2026-11-20T10:57:30Z',
  '2026-11-20T23:55:00Z',
  '2026-11-30T23:54:00Z',
  '2026-12-31T23:50:00Z',
] as const;
const outageOf = [
  'dynamodb',
  'sqs',
  'scheduler',
  'sms',
  'RateCounters',
  'Messages',
  'WebhookDeliveries',
  'ActivityLog',
] as const;

/** How far clocks may be from the true time, in milliseconds. A pace is judged where they are nearly right. */
const skews: Partial<Record<Theme, readonly [number, ...number[]]>> = {
  webhooks: [0, 20, 2000, 5000],
  bulk: [0, 0, 20, 20, 500, 5000],
};

/** How many runs have a sender with a pace, from whose number all messages come. */
const sendersShare: Partial<Record<Theme, number>> = { bulk: 0.7, otp: 0.6, 'opt-outs': 0.7, schedules: 0.2 };

/** Functions, as the points of their calls begin. */
const focuses = [
  'send-sms',
  'send-bulk-sms',
  'send-otp',
  'verify-otp',
  'admin-api',
  'dispatch-message',
  'relay-changes',
  'deliver-webhook',
  'record-receipt',
  'webhook-endpoints',
] as const;

const webhookFocuses = [
  'deliver-webhook',
  'webhook-endpoints',
  'relay-changes',
  'queue-due-rows',
  'deliver-webhook',
] as const;

/** How many runs have a second carrier for SMS. */
function secondCarrierShare({ theme, severity }: Plan): number {
  // The invariant about the use of a pace judges only runs with one carrier and no faults.
  if (theme === 'bulk') return severity === 0 ? 0.25 : 0.6;
  return 0.35;
}
const carrierFocuses = [
  'dispatch-message POST',
  'dispatch-message SendTextMessage',
  'dispatch-message SendTextMessage',
  'carrier-callback',
] as const;

const onUnknownRules: readonly [OnUnknownRules, ...OnUnknownRules[]] = [
  usualOnUnknown,
  { otp: 'send_again', promotional: 'send_again', other: 'send_again' },
  { otp: 'wait', promotional: 'send_again', other: 'wait' },
];

/** Longer than the longest delay of a queue, and shorter than the validity of most messages. */
const longDeadlines: Readonly<z.output<ReturnType<typeof unknownDeadlines>>> = { otp: 30, other: 1100 };

export function planOf(seed: number, only?: Theme): Plan {
  const plan = planOfSteps(seed, only ?? oneOf(randomOf(seed, 'theme'), themes));
  const random = randomOf(seed, 'second carrier');
  return random() < secondCarrierShare(plan) ? withSecondCarrier(plan, random) : plan;
}

function withSecondCarrier(plan: Plan, random: Random): Plan {
  const { severity, focus, startAt, outages, senders } = plan;
  const fromMs = startAt.getTime() + between(random, 0, 300_000);
  const outage = { of: 'infobip', fromMs, untilMs: fromMs + oneOf(random, [4000, 40_000, 400_000]) };
  const isPaced = random() < (senders.length > 0 ? 0.9 : 0.2);
  return {
    ...plan,
    focus: random() < 0.6 ? oneOf(random, carrierFocuses) : focus,
    outages: severity > 0 && random() < 0.3 ? [...outages, outage] : outages,
    senders: isPaced ? [...senders, pacedSender(random, 'sms * infobip', '+447418367399')] : senders,
    smsCarriers: random() < 0.3 ? ['infobip', 'aws'] : ['aws', 'infobip'],
    onUnknown: oneOf(randomOf(plan.seed, 'on unknown'), onUnknownRules),
    unknownDeadlines: random() < 0.3 ? longDeadlines : usualUnknownDeadlines,
  };
}

function planOfSteps(seed: number, theme: Theme): Plan {
  const random = randomOf(seed, 'plan');
  const startAt = new Date(oneOf(random, starts));
  const lengthMs = oneOf(random, [60_000, 300_000, 1_200_000]);
  const severity = oneOf(random, [0, 0, 1, 3, 8]);
  const clientCount = wholeBetween(random, 1, 3);
  const count = wholeBetween(random, 4, 22);
  const some = someActors(theme, randomOf(seed, 'actors'));
  // Each step with a small share sends for an hour or waits for days.
  const often = some.filter(([, share]) => share >= 1);
  const boosted = random() < 0.5 ? often[Math.floor(random() * often.length)]?.[0] : undefined;
  const steps = Array.from({ length: count }, (_, i) => ({
    id: `${i + 1}`,
    afterMs: Math.floor(random() * lengthMs),
    actor: boosted !== undefined && random() < 0.4 ? boosted : actorFor(some, random),
    client: random() < 0.6 ? 0 : wholeBetween(random, 0, clientCount - 1),
  })).sort((a, b) => a.afterMs - b.afterMs);
  return {
    seed,
    theme,
    startAt,
    severity,
    focus: random() < 0.5 ? undefined : oneOf(random, theme === 'webhooks' ? webhookFocuses : focuses),
    skewMaxMs: skewOf(seed, oneOf(random, skews[theme] ?? [0, 20, 500, 5000])),
    indexLagMaxMs: oneOf(random, [100, 2000, 20_000]),
    // At 0, others in the account have used the quota up.
    schedulesPerSecond: oneOf(random, theme === 'schedules' ? [0, 5, 0, 1000] : [1000, 5, 0]),
    outages: severity < 3 ? [] : outages(random, startAt, lengthMs),
    ttlDelayMs: oneOf(randomOf(seed, 'ttl'), [0, 172_800_000]),
    carriersThrottle: theme !== 'bulk' || randomOf(seed, 'carriers')() < 0.4,
    smsCarriers: ['aws'],
    onUnknown: usualOnUnknown,
    unknownDeadlines: usualUnknownDeadlines,
    clientCount,
    limits: theme === 'limits' || theme === 'caps' ? limitsOf(theme, random) : [],
    senders: random() < (sendersShare[theme] ?? 0.4) ? [pacedSender(random, 'sms *', '+447418367358')] : [],
    steps,
  };
}

/** A run in twelve has clocks that are up to two minutes wrong. */
function skewOf(seed: number, usualMs: number): number {
  return randomOf(seed, 'clocks')() < 1 / 12 ? 120_000 : usualMs;
}

/** One run of so many messages, a thousand in each request, from an account that few things go wrong for. */
export function largePlanOf(seed: number, messages: number): Plan {
  const plan = planOfSteps(seed, 'bulk');
  const steps = Array.from({ length: Math.ceil(messages / bulkRecipientsMax) }, (_, i) => ({
    id: `${i + 1}`,
    afterMs: i * 45_000,
    actor: 'sends to a thousand' as const,
    client: 0,
  }));
  return { ...plan, severity: 1, clientCount: 1, limits: [], senders: [], outages: [], steps };
}

/**
 * A run has about half of the actors of its theme, so that more of its steps meet one another: with all of them in every run,
 * each new one makes the situations of the others rarer (Groce et al., Swarm Testing, ISSTA 2012).
 */
function someActors(theme: Theme, random: Random): [Chosen, ...Chosen[]] {
  const all = actorNames.map((name): Chosen => [name, (actors[name].share as Shares)[theme] ?? 0]);
  return [
    // Without messages little happens; beside half of the others they are to be as frequent as beside all.
    ['sends an SMS', actors['sends an SMS'].share[theme] / 2],
    ...all.filter(([name, share]) => name !== 'sends an SMS' && share > 0 && random() < 0.5),
  ];
}

function actorFor(some: readonly [Chosen, ...Chosen[]], random: Random): ActorName {
  let drawn = random() * some.reduce((sum, [, share]) => sum + share, 0);
  for (const [name, share] of some) {
    drawn -= share;
    if (drawn < 0) return name;
  }
  return some[0][0];
}

function outages(random: Random, startAt: Date, lengthMs: number): Outage[] {
  return Array.from({ length: wholeBetween(random, 0, 3) }, () => {
    const fromMs = startAt.getTime() + between(random, 0, lengthMs);
    return { of: oneOf(random, outageOf), fromMs, untilMs: fromMs + oneOf(random, [500, 4000, 20_000]) };
  });
}

function limitsOf(theme: Theme, random: Random): Readonly<Record<string, unknown>>[] {
  if (theme === 'caps') {
    const messages = {
      endpoint: 'messages',
      per_minute: oneOf(random, [5, 30]),
      per_day: oneOf(random, [20, 100]),
      ...(random() < 0.5 ? { per_month: oneOf(random, [25, 60]) } : {}),
    };
    const spend = oneOf(random, [{ per_day: 0.05 }, { per_day: 0.5 }, { per_day: 0.5, per_month: 0.6 }]);
    return random() < 0.5 ? [messages] : [messages, { endpoint: 'spend', ...spend }];
  }
  const { endpoint, perMinute, perHour, perDay } = policies.sms_send;
  return [
    // The own row of each client wins over it.
    { client_id: '*', endpoint, per_minute: perMinute, per_hour: perHour, per_day: perDay },
    {
      endpoint,
      per_minute: oneOf(random, [3, 10, 40_000]),
      per_hour: oneOf(random, [7, 20, 40_001]),
      per_day: oneOf(random, [9, 31]),
    },
  ];
}

function pacedSender(
  random: Random,
  destination: string,
  identity: string,
): Readonly<Record<string, unknown>> {
  return { client_id: '*', destination, identity, messages_per_second: oneOf(random, [1, 3, 20, 80]) };
}
