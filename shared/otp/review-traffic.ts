/**
 * Holds one-time passwords of a client to a country if few of them are verified, after their records are counted. That
 * indicates SMS pumping: programs request passwords that nobody reads. The time is that of the stream, not of
 * the clock: where the stream is read late, the verifications are late as well, and nothing is held for it.
 *
 *   count ─ crash → the stream repeats the batch, and what is counted is not counted again
 *   hold, a conditional write ─ crash → the repeated batch finds the row held, and continues
 *   Activity Log entry, with an id made of the hold ─ crash → written again as the same entry
 *   metric, again with each batch that finds these passwords held: its alarm needs one
 *
 * Why: docs/decisions/otp-hold.md
 */
import type { ActivityLog } from '../activity/activity-log.ts';
import type { StageMetric } from '../contract/metrics.ts';
import { modeOf } from '../contract/mode.ts';
import { allCountries, type OtpHoldRule } from '../contract/otp-abuse.ts';
import { addDays, addSeconds, type Clock, startOfMinute } from '../platform/clock.ts';
import { derivedIdAt } from '../platform/ids.ts';
import type { OtpHold, OtpHoldState, OtpHoldStore } from './otp-holds.dynamo.ts';
import {
  type CountryMinute,
  type OtpCount,
  type OtpMinute,
  type OtpRecord,
  type OtpTrafficReader,
  totalOf,
} from './otp-traffic.dynamo.ts';

export interface TrafficReviewDependencies {
  readonly traffic: OtpTrafficReader;
  readonly holds: Pick<OtpHoldStore, 'find' | 'hold' | 'ofClient'>;
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
  dependencies: TrafficReviewDependencies,
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
  // A client is reviewed after its countries, so that a held country does not count among all.
  for (const [clientId, ofClient] of Map.groupBy(records, (record) => record.clientId)) {
    const newest = Math.max(...ofClient.map(({ changedAt }) => changedAt.getTime()));
    const hold = await reviewAllCountries(dependencies, clientId, new Date(newest));
    if (hold !== undefined) held.push(hold);
  }
  return held;
}

/**
 * An attack that is spread over so many countries that none of them has enough passwords to be judged. Countries that are
 * held, or never are, do not count; nor does a share that is low because of one country only, which is judged on its own.
 */
async function reviewAllCountries(
  dependencies: TrafficReviewDependencies,
  clientId: string,
  asOf: Date,
): Promise<OtpHold | undefined> {
  const { traffic, holds, rule } = dependencies;
  const until = startOfMinute(addSeconds(asOf, -rule.settleSeconds));
  const all = await traffic.allMinutes(clientId, addSeconds(until, -judgedSeconds), until);
  if (!canBeSuspicious(summed(all), rule)) return undefined;
  const states = await holds.ofClient(clientId);
  const known = states.find(({ country }) => country === allCountries);
  if (known?.state === 'allowed' && known.always) return undefined;
  const judged = all.filter(({ country, start }) => {
    const own = states.find((state) => state.country === country);
    const isJudged = own?.state !== 'held' && !(own?.state === 'allowed' && own.always);
    const allowedAt = [own, known].map((state) => (state?.state === 'allowed' ? state.allowed_at : ''));
    return isJudged && allowedAt.every((at) => start.toISOString() >= at);
  });
  const countries = new Set(judged.map(({ country }) => country));
  const since = addDays(asOf, -usualDays);
  const usual = (await traffic.allDays(clientId, since, asOf)).filter(
    ({ country }) => countries.has(country) || !states.some((state) => state.country === country),
  );
  const suspicion = judgeTraffic(summed(judged), totalOf(usual), rule);
  if (suspicion === undefined) return undefined;
  for (const country of countries) {
    const others = judged.filter((minute) => minute.country !== country);
    if (judgeTraffic(summed(others), totalOf(usual), rule) === undefined) return undefined;
  }
  const isWell = (country: string): boolean => {
    const of = ({ country: each }: CountryMinute) => each === country;
    const now = totalOf(judged.filter(of));
    const before = totalOf(usual.filter(of));
    const count = now.sends > 0 ? now : before;
    return count.sends > 0 && count.verified >= suspicion.threshold * count.sends;
  };
  const except = [...new Set([...judged, ...usual].map(({ country }) => country))].filter(isWell).toSorted();
  return hold(dependencies, { clientId, country: allCountries, known, suspicion, more: { except } });
}

/** The minutes of all countries together, oldest first. */
function summed(minutes: readonly CountryMinute[]): OtpMinute[] {
  const byStart = Map.groupBy(minutes, ({ start }) => start.getTime());
  return [...byStart.entries()]
    .toSorted(([one], [other]) => one - other)
    .map(([start, some]) => ({ start: new Date(start), ...totalOf(some) }));
}

async function reviewPair(
  dependencies: TrafficReviewDependencies,
  clientId: string,
  country: string,
  asOf: Date,
): Promise<OtpHold | undefined> {
  const { traffic, holds, rule } = dependencies;
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
  return hold(dependencies, { clientId, country, known, suspicion, more: {} });
}

interface Judged {
  readonly clientId: string;
  readonly country: string;
  readonly known: OtpHoldState | undefined;
  readonly suspicion: Suspicion;
  readonly more: Pick<OtpHold, 'except'>;
}

async function hold(
  { holds, activityLog, clock, countMetric }: TrafficReviewDependencies,
  { clientId, country, known, suspicion, more }: Judged,
): Promise<OtpHold | undefined> {
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
          ...more,
        };
  // Another worker, or an administrator, was faster: the next batch is reviewed with their row.
  if (known?.state !== 'held' && !(await holds.hold(hold, known))) return undefined;
  await activityLog.add({
    entry_id: derivedIdAt('act', new Date(hold.held_at), 'otp_held', clientId, country),
    kind: 'otp_held',
    at: hold.held_at,
    summary: holdSummary(hold),
    client_id: clientId,
    after: { ...hold },
  });
  // Test data alerts nobody.
  if (modeOf(clientId) === 'live') countMetric('OtpHeld');
  return hold;
}

export function holdSummary({ country, except = [], sends, verified, usual_share }: OtpHold): string {
  const others = except.length === 0 ? 'all countries' : `all countries but ${except.join(', ')}`;
  const where = country === allCountries ? others : country;
  const usual = usual_share === null ? '' : `; usually ${percent(usual_share)} are`;
  return `One-time passwords to ${where} are held: ${verified} of ${sends} (${percent(verified / sends)}) were verified${usual}.`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

interface Suspicion extends OtpCount {
  readonly since: Date;
  /** The share that was not reached. */
  readonly threshold: number;
  /** Undefined if the client has sent too few to know it. */
  readonly usualShare: number | undefined;
}

const chanceMax = 1e-6;

/**
 * Judges whether few of the passwords are verified; the result depends only on the arguments. The last hour and every shorter
 * time up to now are judged, so that good traffic before an attack does not hide it. Small numbers vary by chance: passwords are
 * held only if p < 10⁻⁶ for so few verifications of a client whose share is at the threshold.
 *
 * @param minutes - by the creation of the passwords, oldest first
 * @param usual - the client's passwords to this country on earlier days
 */
export function judgeTraffic(
  minutes: readonly OtpMinute[],
  usual: OtpCount,
  rule: OtpHoldRule,
): Suspicion | undefined {
  const usualShare = usual.sends < rule.minimumSends ? undefined : shareOf(usual);
  const threshold = Math.max(rule.minimumShare, rule.shareOfUsual * (usualShare ?? rule.usualShare));
  let [sends, verified] = [0, 0];
  for (const minute of minutes.toReversed()) {
    sends += minute.sends;
    verified += minute.verified;
    if (sends >= rule.minimumSends && isBelow({ sends, verified }, threshold)) {
      return { sends, verified, since: minute.start, threshold, usualShare };
    }
  }
  return undefined;
}

/** Whether any share that the rule can have as its threshold is above those of the minutes: else the usual one need not be read. */
export function canBeSuspicious(minutes: readonly OtpMinute[], rule: OtpHoldRule): boolean {
  return judgeTraffic(minutes, { sends: rule.minimumSends, verified: rule.minimumSends }, rule) !== undefined;
}

/** A verification may be counted whose password was created before the counting began. */
function shareOf({ sends, verified }: OtpCount): number {
  return Math.min(1, verified / sends);
}

/**
 * Chernoff's bound: with a true share p, a share of q or less among n has at most the chance exp(-n · D(q‖p)), where D is
 * the relative entropy.
 */
function isBelow(count: OtpCount, threshold: number): boolean {
  const share = shareOf(count);
  if (share >= threshold) return false;
  const entropy = term(share, threshold) + term(1 - share, 1 - threshold);
  return count.sends * entropy >= -Math.log(chanceMax);
}

function term(observed: number, expected: number): number {
  return observed === 0 ? 0 : observed * Math.log(observed / expected);
}
