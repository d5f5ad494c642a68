/**
 * Holds one-time passwords of a client to a country after their records are counted. The time is that of the stream, not of
 * the clock: where the stream is read late, the verifications are late as well, and nothing is held for it.
 *
 *   count ─ crash → the stream repeats the batch, and what is counted is not counted again
 *   hold, a conditional write ─ crash → the repeated batch finds the row held, and continues
 *   Activity Log entry, with an id made of the hold ─ crash → written again as the same entry
 *   metric, again with each batch that finds these passwords held: its alarm needs one
 */
import type { ActivityLog } from '../../activity/activity-log.ts';
import type { StageMetric } from '../../contract/metrics.ts';
import type { OtpHoldRule } from '../../contract/otp-hold.ts';
import { addDays, addSeconds, type Clock, startOfMinute } from '../../platform/clock.ts';
import { derivedIdAt } from '../../platform/ids.ts';
import { canBeSuspicious, judgeTraffic } from './judge-traffic.ts';
import type { OtpHold } from './otp-hold.ts';
import type { OtpHoldStore } from './otp-holds.dynamo.ts';
import type { OtpTrafficReader } from './otp-traffic.dynamo.ts';
import type { OtpRecord } from './otp-traffic.ts';

export interface ReviewDependencies {
  readonly traffic: OtpTrafficReader;
  readonly holds: Pick<OtpHoldStore, 'find' | 'hold'>;
  readonly activityLog: ActivityLog;
  readonly rule: OtpHoldRule;
  readonly clock: Clock;
  readonly countMetric: (name: StageMetric) => void;
}

const judgedSeconds = 3600;
const usualDays = 7;

/**
 * @returns the holds that these records led to
 * @throws when a review did not end: all records must be passed again.
 */
export async function reviewTraffic(
  dependencies: ReviewDependencies,
  records: readonly OtpRecord[],
): Promise<readonly OtpHold[]> {
  const pairs = Map.groupBy(records, ({ clientId, country }) => JSON.stringify([clientId, country]));
  const held: OtpHold[] = [];
  for (const ofPair of pairs.values()) {
    const [first] = ofPair;
    if (first === undefined) continue;
    const newest = Math.max(...ofPair.map(({ changedAt }) => changedAt.getTime()));
    const hold = await reviewPair(dependencies, first.clientId, first.country, new Date(newest));
    if (hold !== undefined) held.push(hold);
  }
  return held;
}

async function reviewPair(
  { traffic, holds, activityLog, rule, clock, countMetric }: ReviewDependencies,
  clientId: string,
  country: string,
  asOf: Date,
): Promise<OtpHold | undefined> {
  // A minute is judged when its last password is old enough.
  const until = startOfMinute(addSeconds(asOf, -rule.settleSeconds));
  const minutes = await traffic.minutes(clientId, country, addSeconds(until, -judgedSeconds), until);
  if (!canBeSuspicious(minutes, rule)) return undefined;
  const known = await holds.find(clientId, country);
  const seen = known?.state === 'allowed' ? known : undefined;
  if (seen?.always === true) return undefined;
  const allowedAt = seen === undefined ? undefined : new Date(seen.allowed_at);
  const judged = allowedAt === undefined ? minutes : minutes.filter(({ start }) => start >= allowedAt);
  const usual = await traffic.days(clientId, country, addDays(asOf, -usualDays), asOf);
  const suspicion = judgeTraffic(judged, usual, rule);
  if (suspicion === undefined) return undefined;
  const hold: OtpHold =
    known?.state === 'held'
      ? known
      : {
          client_id: clientId,
          country,
          state: 'held',
          held_at: clock().toISOString(),
          since: suspicion.since.toISOString(),
          sends: suspicion.sends,
          verified: suspicion.verified,
          threshold: suspicion.threshold,
          usual_share: suspicion.usualShare ?? null,
        };
  // Another worker, or an administrator, was faster: the next batch is reviewed with their row.
  if (known?.state !== 'held' && !(await holds.hold(hold, seen))) return undefined;
  await activityLog.add({
    entry_id: derivedIdAt('act', new Date(hold.held_at), 'otp_held', clientId, country),
    kind: 'otp_held',
    at: hold.held_at,
    summary: holdSummary(hold),
    client_id: clientId,
    after: { ...hold },
  });
  countMetric('OtpHeld');
  return hold;
}

/** For a person. */
export function holdSummary({ country, sends, verified, usual_share }: OtpHold): string {
  const usual = usual_share === null ? '' : `; usually ${percent(usual_share)} are`;
  return `One-time passwords to ${country} are held: ${verified} of ${sends} (${percent(verified / sends)}) were verified${usual}.`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
