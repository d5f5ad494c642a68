/**
 * Which call of a carrier goes wrong, and how: a fifth of the calls, and a fifth of the reports, decided by a seed. An eighth of
 * the messages is refused, or does not reach the person.
 */
import { createHash } from 'node:crypto';

/** What happens to a call: on its way there, at the vendor, or on its way back. */
const callFaults = [
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

const reportFaults = [
  /** All reports come before the response to the send. */
  'before_response',
  'doubled',
  /** The last first. */
  'out_of_order',
] as const;

/** What a carrier does with a message that it understands, beside delivering it. */
const messageFates = [
  /** It takes the message, and reports that the person could not be reached. */
  'unreachable',
  /** It refuses the recipient, which is final. */
  'refused_recipient',
  /** It refuses for a reason of its own, so that the next carrier may be asked. */
  'refused_account',
] as const;

export type CallFault = (typeof callFaults)[number];
export type ReportFault = (typeof reportFaults)[number];
export type MessageFate = (typeof messageFates)[number];

const faultyShare = 1 / 5;
const undeliveredShare = 1 / 8;

export interface FaultPlan {
  /** @param call - 1 for the first call for this recipient */
  ofCall(carrier: string, recipient: string, call: number): CallFault | undefined;
  ofReports(carrier: string, recipient: string): ReportFault | undefined;
  ofMessage(carrier: string, recipient: string): MessageFate | undefined;
}

export function faultPlan(seed: number): FaultPlan {
  const pick = <Fault>(
    faults: readonly Fault[],
    share: number,
    ...of: readonly (string | number)[]
  ): Fault | undefined => {
    const drawn =
      createHash('sha256')
        .update([seed, ...of].join(' '))
        .digest()
        .readUInt32BE() /
      2 ** 32;
    return faults[Math.floor((drawn / share) * faults.length)];
  };
  return {
    ofCall: (...call) => pick(callFaults, faultyShare, 'call', ...call),
    ofReports: (...report) => pick(reportFaults, faultyShare, 'report', ...report),
    ofMessage: (...message) => pick(messageFates, undeliveredShare, 'message', ...message),
  };
}
