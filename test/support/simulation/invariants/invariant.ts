/** What all invariants are made of. */

import { endpointDisabledEvent } from '../../../../shared/contract/webhook-events.ts';
import type { NotedCall } from '../aws/requests.ts';
import type { Sqs } from '../aws/sqs.ts';
import type { FaultRates } from '../faults.ts';
import type { Asked, Edited } from '../outside/record.ts';
import type { Stage } from '../stage.ts';
import type { Accepted, Ended } from './ended.ts';

export interface Invariant {
  /** The numbers of the promises in `docs/contract.md` that it holds, or the page that makes them. */
  readonly promise: string;
  /** A sentence for each violation. */
  readonly check: (ended: Ended) => readonly string[];
}

/** Returns true if nothing went wrong in the run. */
export function isCalm({ plan, stage: { faults } }: Ended): boolean {
  return plan.severity === 0 && faults.happened.length === 0;
}

export function underEachKey(asked: readonly Asked[]): Map<string, Asked[]> {
  return Map.groupBy(
    asked.filter(({ key }) => key !== undefined),
    ({ clientId, route, key }) => `${clientId} ${route} ${key}`,
  );
}

/** The endpoints that the gateway disabled, as it told others. */
export function disabledEndpoints({ stage: { record } }: Ended): ReadonlySet<string> {
  return new Set(
    record.posted.flatMap(({ event }) =>
      event.event === endpointDisabledEvent ? [String(event.data.endpoint_id)] : [],
    ),
  );
}

/** Returns true if an endpoint with this filter receives the event. An endpoint without a filter receives every event. */
export function takes(events: unknown, event: string): boolean {
  if (!Array.isArray(events)) return true;
  return events.some((chosen) => chosen === event || chosen === event.replace(/\..*/, '.*'));
}

/** Returns true if the carrier's response to this call may be unknown, because the process did not record it. */
export function isUnrecorded({ calls, processDeaths }: Stage, { process, atMs }: NotedCall): boolean {
  return (
    processDeaths.some((one) => one.process === process && one.atMs >= atMs) ||
    calls.some((one) => one.about === 'Messages' && one.fault !== undefined && one.process === process)
  );
}

/** The due index finds a message that the relay or a queue lost. */
const madeUpWithinMs: FaultRates = { 'is missed': 240_000, 'is lost': 240_000 };

/** When something last went wrong, or was made up for. */
export function lastFaultMs({ stage: { faults, outages } }: Ended): number {
  return Math.max(
    0,
    ...faults.happened.map(({ kind, atMs }) => atMs + (madeUpWithinMs[kind] ?? 0)),
    ...outages.map(({ untilMs }) => untilMs),
  );
}

/** Returns the messages in dead-letter queues, which failed at every receive and wait for an operator. */
export function deadLetters(sqs: Sqs): readonly string[] {
  return sqs.all
    .filter(({ redrive }) => redrive === undefined)
    .flatMap(({ messages }) => [...messages].map(({ body }) => body));
}

/** Returns true if a text of the recipient is there. If `word` is given, the text must contain it. */
export function isSetAside(sqs: Sqs, person: string, word = ''): boolean {
  // The events of WhatsApp have numbers without a plus sign.
  return deadLetters(sqs).some((body) => body.includes(person.replace('+', '')) && body.includes(word));
}

/** A change of a row about access, limits or senders is in force within this time. */
export const inForceWithinMs = 60_000;

/** Returns the states of a row that the gateway may have used: the last edit that it certainly knew, and all later edits. */
export function rowsDuring(
  edits: readonly Edited[],
  surelyKnownMs: number,
  untilMs: number,
): readonly Edited['row'][] {
  let rows: Edited['row'][] = [undefined];
  for (const { atMs, row, uncertain } of edits) {
    if (atMs > untilMs) break;
    if (atMs < surelyKnownMs - 1000 && uncertain !== true) rows = [row];
    else rows.push(row);
  }
  return rows;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

export function distinct(accepted: readonly Accepted[]): Accepted[] {
  return [...new Map(accepted.map((one) => [one.messageId, one])).values()];
}

export function sumOf(rows: readonly Record<string, number>[], field: string): number {
  return rows.reduce((sum, row) => sum + (row[field] ?? 0), 0);
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
