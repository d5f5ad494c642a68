/**
 * Holds one-time passwords of a client, to one country or to all, if few of them are verified; runs after their
 * records are counted. Few verifications indicate SMS pumping: programs request passwords that nobody reads. The time
 * comes from the stream, not from the clock: if the stream is read late, the verifications are late as well, and
 * nothing is held because of that.
 *
 * - count ─ crash → the stream repeats the batch; counted records are not counted again
 * - hold, a conditional write ─ crash → the repeated batch finds the row, and continues
 * - notice, with an id made of the hold ─ crash → given again with each batch that finds these passwords held
 *
 * Why: docs/decisions/otp-hold.md
 */
import { notify } from '../activity/write-activity.dynamo.ts';
import { allCountries } from '../contract/otp-abuse.ts';
import { addDays, addSeconds, startOfMinute } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { derivedIdAt } from '../platform/ids.ts';
import { type OtpFinding, type OtpHoldState, otpHoldStatesOf, replaceOtpHold } from './otp-holds.dynamo.ts';
import {
  hasVerifiedOtp,
  type OtpCount,
  type OtpMinute,
  type OtpRecord,
  otpMinutes,
  totalOf,
} from './otp-traffic.dynamo.ts';

type ReviewContext = Context<
  'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS' | 'OTP_TRAFFIC_TABLE' | 'OTP_HOLDS_TABLE' | 'OTP_HOLD'
>;

const judgedSeconds = 3600;
/**
 * The judged hour ends this long before now, because recipients may still enter newer codes. It is the default validity. A
 * code that is valid for longer counts as unverified until it is verified.
 */
export const settleSeconds = 300;
/** If a client has no verified password in this time, it compares codes itself. This is noticed once in this time. */
const comparesItselfDays = 30;
/** A batch is repeated within minutes. */
const repeatedSeconds = 600;

/**
 * @returns the results of these records: holds, and notices of clients that verify nothing
 * @throws if a review did not end: all records must be passed again.
 */
export async function reviewTraffic(
  context: ReviewContext,
  records: readonly OtpRecord[],
): Promise<readonly OtpFinding[]> {
  const findings: OtpFinding[] = [];
  for (const [clientId, ofClient] of Map.groupBy(records, (record) => record.clientId)) {
    const newest = Math.max(...ofClient.map(({ changedAt }) => changedAt.getTime()));
    findings.push(...(await reviewClient(context, clientId, new Date(newest))));
  }
  return findings;
}

async function reviewClient(
  context: ReviewContext,
  clientId: string,
  asOf: Date,
): Promise<readonly OtpFinding[]> {
  const { env, clock } = context;
  const rule = env.OTP_HOLD;
  const until = startOfMinute(addSeconds(asOf, -settleSeconds));
  const hour = await otpMinutes(context, clientId, addSeconds(until, -judgedSeconds), until);
  if (totalOf(hour).sends < rule.minimumSends) return [];
  const stored = await otpHoldStatesOf(context, clientId);
  const states = new Map(stored.map((state) => [state.country, state]));
  const findings: OtpFinding[] = [];
  // The hold for all countries comes last: passwords to countries that have their own hold do not count for it.
  for (const country of [...new Set(hour.map((minute) => minute.country)), allCountries]) {
    const judged = judgedMinutes(hour, country, states);
    if (!isLow(totalOf(judged), rule)) continue;
    const known = states.get(country);
    const since = addDays(asOf, -comparesItselfDays);
    if (known?.state !== 'held' && !(await hasVerifiedOtp(context, clientId, since, asOf))) {
      const all = states.get(allCountries);
      const isRecent = all !== undefined && new Date(all.changed_at) > since;
      if (all?.state === 'held' || (all?.state === 'allowed' && (all.always || isRecent))) return findings;
      const found = foundIn(hour, clientId, clock());
      const notice: OtpFinding = { ...found, country: allCountries, state: 'noticed' };
      const finding = isRecent && all.state === 'noticed' ? all : notice;
      return [...findings, ...(await record(context, all, finding))];
    }
    const hold: OtpFinding =
      known?.state === 'held' ? known : { ...foundIn(judged, clientId, clock()), country, state: 'held' };
    findings.push(...(await record(context, known, hold)));
    states.set(country, hold);
  }
  return findings;
}

/**
 * Returns the minutes that a hold of the country would judge. Leaves out passwords that an administrator allowed or
 * that are already held.
 */
function judgedMinutes(
  hour: readonly OtpMinute[],
  country: string,
  states: ReadonlyMap<string, OtpHoldState>,
): readonly OtpMinute[] {
  const isAllowed = (of: string, start: Date): boolean => {
    const state = states.get(of);
    return state?.state === 'allowed' && (state.always || start < new Date(state.changed_at));
  };
  return hour.filter((minute) => {
    if (isAllowed(country, minute.start)) return false;
    if (country !== allCountries) return minute.country === country;
    return states.get(minute.country)?.state !== 'held' && !isAllowed(minute.country, minute.start);
  });
}

/** True if there are enough passwords to judge, and too few were verified. */
export function isLow({ sends, verified }: OtpCount, rule: ReviewContext['env']['OTP_HOLD']): boolean {
  return sends >= rule.minimumSends && verified < rule.minimumShare * sends;
}

function foundIn(minutes: readonly OtpMinute[], clientId: string, now: Date) {
  const since = minutes[0]?.start ?? now;
  return {
    client_id: clientId,
    changed_at: now.toISOString(),
    since: since.toISOString(),
    ...totalOf(minutes),
  };
}

/**
 * Records a finding. Returns nothing if another worker or an administrator was faster: the next batch is reviewed with their row.
 *
 * @param known - the stored state; the finding itself if it was stored before
 */
async function record(
  context: ReviewContext,
  known: OtpHoldState | undefined,
  finding: OtpFinding,
): Promise<readonly OtpFinding[]> {
  if (finding !== known && !(await replaceOtpHold(context, known, finding))) return [];
  // The first worker may have died before the lines below.
  if (addSeconds(new Date(finding.changed_at), repeatedSeconds) < context.clock()) return [];
  const { client_id, country, state, changed_at } = finding;
  const kind = state === 'held' ? 'otp_held' : 'otp_unverified';
  await notify(context, kind, derivedIdAt('act', new Date(changed_at), kind, client_id, country), {
    at: changed_at,
    summary: findingSummary(finding),
    client_id,
    after: { ...finding },
  });
  return [finding];
}

export function findingSummary({ state, country, sends, verified }: OtpFinding): string {
  const where = country === allCountries ? 'all countries' : country;
  const share = `${verified} of ${sends} (${Math.round((100 * verified) / sends)} %) were verified`;
  return state === 'held'
    ? `One-time passwords to ${where} are held: ${share}.`
    : `One-time passwords to ${where} are not held, although ${share}: the client verified none in ${comparesItselfDays} days, so it compares codes itself.`;
}
