/**
 * The feedback that the gateway writes into a row that an operator edits (contract 10.5): a status, and a sentence
 * that states what is in force, or what is wrong and how to correct it.
 */

import { everyClient } from '../contract/rate-limits-and-caps.ts';
import { chunksOf } from '../platform/aws/read-rows.dynamo.ts';
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

/** Returns the feedback that a review stored in the row; undefined if there is none, or an operator overwrote it. */
export function storedFeedback({ status, status_message }: EditedRow): Feedback | undefined {
  const known = statuses.find((one) => one === status);
  return known === undefined || typeof status_message !== 'string'
    ? undefined
    : { status: known, status_message };
}

const noClient = 'there is no client ';

/** @param end - of the sentence */
export function missingClientFault(clientId: string, end: string): IgnoredValue {
  return { attribute: 'client_id', reason: `${noClient}${shownValue(clientId)}${end}` };
}

/** True if the last review of the row found no client. For readers that do not look for the client themselves. */
export function tellsOfMissingClient({ status_message }: EditedRow): boolean {
  return String(status_message).startsWith(`client_id: ${noClient}`);
}

/** Returns the time as in the sentence of the feedback: `since 12:00:05`. */
export function sinceText(now: Date): string {
  return `since ${now.toISOString().slice(11, 19)}`;
}

/** Returns the stored feedback, with its time, if it says the same, so that a repeated review changes nothing. */
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
 * Returns the attributes that look misspelled. Other unknown attributes are ignored.
 *
 * @param otherwise - called with a name that is similar to no known one
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

export interface StoredRow<Image> {
  readonly row: EditedRow;
  readonly image: Image;
}

export interface FeedbackStore<Image> {
  rowsOf(clientId: string): Promise<readonly StoredRow<Image>[]>;
  allRows(): Promise<readonly StoredRow<Image>[]>;
  /** Returns the rows with an attribute `expires_at` whose feedback does not say that they have expired. */
  notYetExpired(): Promise<readonly EditedRow[]>;
  /** Returns false if the row was changed or removed after it was read. */
  write(stored: StoredRow<Image>, feedback: Feedback): Promise<boolean>;
}

export interface Reviewed {
  readonly rows: number;
  readonly written: number;
}

export type ExistingClients = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

const writesAtOnce = 25;
/** A row that changes again during each attempt is still being edited; its next change starts another review. */
const attempts = 3;

/**
 * Updates the feedback in rows. It depends on the rows alone, and a row with the right feedback is not written, so a
 * review can be repeated, interrupted, or run twice at once. A write applies only to the row as it was read, so it
 * neither re-creates a deleted row nor replaces the feedback on a newer edit.
 *
 * @param feedbackFor - the feedback for each row, which may depend on the other rows
 */
export async function reviewRows<Image>(
  { write }: FeedbackStore<Image>,
  read: () => Promise<readonly StoredRow<Image>[]>,
  feedbackFor: (rows: readonly EditedRow[]) => Promise<(row: EditedRow) => Feedback>,
): Promise<Reviewed> {
  let written = 0;
  for (let attempt = 1; ; attempt += 1) {
    const stored = await read();
    const feedbackOf = await feedbackFor(stored.map(({ row }) => row));
    const due = stored
      .map((one) => ({ stored: one, feedback: feedbackOf(one.row) }))
      .filter(({ stored: { row }, feedback }) => !isRight(row, feedback));
    let changed = 0;
    for (const chunk of chunksOf(due, writesAtOnce)) {
      const applied = await Promise.all(chunk.map((one) => write(one.stored, one.feedback)));
      written += applied.filter(Boolean).length;
      changed += applied.filter((one) => !one).length;
    }
    if (changed === 0 || attempt === attempts) return { rows: stored.length, written };
  }
}

function isRight({ status, status_message }: EditedRow, feedback: Feedback): boolean {
  return status === feedback.status && status_message === feedback.status_message;
}

export async function clientExistence(
  rows: readonly EditedRow[],
  existingClients: ExistingClients,
): Promise<(clientId: string) => boolean> {
  const ids = new Set(rows.map(({ client_id }) => String(client_id)).filter((id) => id !== everyClient));
  const existing = await existingClients([...ids]);
  return (clientId) => clientId === everyClient || existing.has(clientId);
}
