/** Which call of a carrier goes wrong, and how: a fifth of the calls, and a fifth of the reports, decided by a seed. */
import { createHash } from 'node:crypto';

/** What happens to a call: on its way there, at the vendor, or on its way back. */
export const callFaults = [
  /** The connection breaks, and the vendor has not got the request. */
  'lost_request',
  /** The connection breaks after the vendor took the message. */
  'lost_response',
  /** The vendor took the message, and answers when nobody waits any more. */
  'late_response',
  /** A proxy answers 502, and the vendor has not got the request. */
  '502_before',
  /** A proxy answers 502 after the vendor took the message. */
  '502_after',
  /** The vendor documents that too many came, and takes nothing. */
  'throttled',
] as const;

export const reportFaults = [
  /** All reports come before the response to the send. */
  'before_response',
  'doubled',
  /** The last first. */
  'out_of_order',
] as const;

export type CallFault = (typeof callFaults)[number];
export type ReportFault = (typeof reportFaults)[number];

const share = 1 / 5;

export interface FaultPlan {
  /** @param call - 1 for the first call for this recipient */
  ofCall(carrier: string, recipient: string, call: number): CallFault | undefined;
  ofReports(carrier: string, recipient: string): ReportFault | undefined;
}

export function faultPlan(seed: number): FaultPlan {
  const pick = <Fault>(faults: readonly Fault[], ...of: readonly (string | number)[]): Fault | undefined => {
    const drawn =
      createHash('sha256')
        .update([seed, ...of].join(' '))
        .digest()
        .readUInt32BE() /
      2 ** 32;
    return faults[Math.floor((drawn / share) * faults.length)];
  };
  return {
    ofCall: (...call) => pick(callFaults, 'call', ...call),
    ofReports: (...report) => pick(reportFaults, 'report', ...report),
  };
}
