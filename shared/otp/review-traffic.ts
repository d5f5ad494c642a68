/**
 * Holds one-time passwords of a client by SMS, to one country or to all, if few of them are verified. Runs after the
 * records of a batch are counted. Few verifications indicate SMS pumping, in which programs request passwords that nobody
 * reads. All times come from the stream, not from the clock: if the stream is read late, its verifications are late too,
 * and must not cause a hold.
 *
 * - count ─ crash → the stream repeats the batch, without counting a record twice
 * - hold, a conditional write ─ crash → the repeated batch finds the row, and continues
 * - notice, whose id is derived from the hold ─ crash → sent again with each batch that finds these passwords held
 *
 * Why: docs/decisions/otp-hold.md
 */
import { notify } from '../activity/write-activity.dynamo.ts';
import { allCountries } from '../contract/rate-limits-and-caps.ts';
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
 * The reviewed hour ends this long ago, because recipients may still enter newer codes. This is the default validity; a
 * code with a longer validity counts as unverified until it is verified.
 */
export const settleSeconds = 300;
/**
 * A client without a verified password in this many days compares codes itself. The gateway reports this once in this time.
 */
const comparesItselfDays = 30;
/** The stream repeats a failed batch within this time. */
const repeatedSeconds = 600;

/**
 * @returns the results of these records: holds, and notices about clients that verify no passwords
 * @throws if a review failed; the caller then passes all records again.
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
  // The hold for all countries is reviewed last, because passwords to a country with its own hold do not count for it.
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
 * Returns the minutes that a hold of the country would consider, without passwords that are already held or that an
 * administrator allowed.
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

/** True if enough passwords were sent for a decision, and too few of them were verified. */
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
 * Stores a finding. Returns undefined if another worker or an administrator changed the row first; the next batch is then
 * reviewed with that row.
 *
 * @param known - the stored state. It equals the finding if an earlier run stored it
 */
async function record(
  context: ReviewContext,
  known: OtpHoldState | undefined,
  finding: OtpFinding,
): Promise<readonly OtpFinding[]> {
  if (finding !== known && !(await replaceOtpHold(context, known, finding))) return [];
  // The worker that stored the finding may have died before it sent the notice.
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
    : `One-time passwords to ${where} are not held, although ${share}: in ${comparesItselfDays} days the client verified none, so it compares codes itself.`;
}
