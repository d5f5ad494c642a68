/**
 * The feedback that the gateway writes into a row that an operator edits (contract 10.5): a status, and a sentence on what
 * applies, or on what is wrong and how to correct it.
 */

import { closestName } from '../platform/closest-name.ts';
import {
  type EditedRow,
  type EditedTable,
  type IgnoredValue,
  ownAttributes,
  shownValue,
} from './row-editor.dynamo.ts';

const statuses = ['active', 'invalid', 'expired'] as const;

export interface Feedback {
  readonly status: (typeof statuses)[number];
  readonly status_message: string;
}

/** Returns the feedback in the row; undefined if it is missing or an operator overwrote it. */
export function storedFeedback({ status, status_message }: EditedRow): Feedback | undefined {
  const known = statuses.find((one) => one === status);
  return known === undefined || typeof status_message !== 'string'
    ? undefined
    : { status: known, status_message };
}

const noClient = 'there is no client ';

/** @param end - the end of the sentence */
export function missingClientFault(clientId: string, end: string): IgnoredValue {
  return { attribute: 'client_id', reason: `${noClient}${shownValue(clientId)}${end}` };
}

/** True if the last review of the row found no client, for callers that do not look up the client themselves. */
export function tellsOfMissingClient({ status_message }: EditedRow): boolean {
  return String(status_message).startsWith(`client_id: ${noClient}`);
}

/** Returns the time in the form of the feedback, such as `since 12:00:05`. */
export function sinceText(now: Date): string {
  return `since ${now.toISOString().slice(11, 19)}`;
}

/**
 * If the new feedback differs from the stored one only in its time, returns the stored one, so that a repeated review
 * changes nothing.
 */
export function keepTime({ status, status_message }: EditedRow, feedback: Feedback): Feedback {
  const unchanged =
    status === feedback.status &&
    typeof status_message === 'string' &&
    withoutTime(status_message) === withoutTime(feedback.status_message);
  return unchanged ? { status: feedback.status, status_message } : feedback;
}

function withoutTime(message: string): string {
  return message.replace(/ since \d{2}:\d{2}:\d{2}: /, ' since: ');
}

/**
 * Returns the attributes whose names look misspelled. Other unknown attributes are ignored.
 *
 * @param otherwise - called with each unknown name that resembles no known name
 */
export function misspelledAttributes(
  row: EditedRow,
  { sortKey, attributes }: EditedTable,
  otherwise: (name: string) => string | undefined = () => undefined,
): IgnoredValue[] {
  const known = new Set<string>([...attributes, 'client_id', sortKey, ...ownAttributes]);
  return Object.keys(row)
    .filter((name) => !known.has(name) && row[name] !== undefined)
    .toSorted()
    .flatMap((name) => {
      const meant = closestName(name, attributes);
      const reason =
        meant === undefined ? otherwise(name) : `there is no such attribute. Did you mean ${meant}?`;
      return reason === undefined ? [] : [{ attribute: name, reason }];
    });
}

export function faultText({ attribute, reason }: IgnoredValue): string {
  return `${/^\w{1,40}$/.test(attribute) ? attribute : shownValue(attribute)}: ${reason}`;
}

export function joinSentences(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
