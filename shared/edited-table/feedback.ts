/**
 * The feedback that the gateway writes into a row that people edit (contract 10.5): a status, and a sentence that
 * says what is in force, or what is wrong and how to correct it.
 */
import { type EditedRow, type EditedTable, ownAttributes, shownValue } from './edited-row.ts';

const statuses = ['active', 'invalid', 'expired'] as const;

export interface Feedback {
  readonly status: (typeof statuses)[number];
  readonly status_message: string;
}

/** The feedback that a review has written into the row; undefined if none has yet, or a person wrote something else. */
export function storedFeedback({ status, status_message }: EditedRow): Feedback | undefined {
  const known = statuses.find((one) => one === status);
  return known === undefined || typeof status_message !== 'string'
    ? undefined
    : { status: known, status_message };
}

/** The first words of the feedback in a row of a client that does not exist. */
const missingClient = 'client_id: there is no client ';

/** @param end - of the sentence */
export function missingClientFault(clientId: string, end: string): string {
  return `${missingClient}${shownValue(clientId)}${end}`;
}

/** Whether the last review of the row found no client: for readers that do not look for the client themselves. */
export function tellsOfMissingClient({ status_message }: EditedRow): boolean {
  return String(status_message).startsWith(missingClient);
}

/** Returns the time as in the sentence of the feedback: `since 12:00:05`. */
export function sinceText(now: Date): string {
  return `since ${now.toISOString().slice(11, 19)}`;
}

/**
 * If what the row has already says the same, that is returned with its time, so that a repeated review changes nothing.
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
 * A sentence for each attribute that looks like a misspelled one. Other unknown attributes are left to the people who wrote them.
 *
 * @param otherwise - for a name that is similar to none
 */
export function misspelledAttributes(
  row: EditedRow,
  { sortKey, attributes }: EditedTable,
  otherwise: (name: string) => string | undefined = () => undefined,
): string[] {
  const known = new Set<string>([...attributes, 'client_id', sortKey, ...ownAttributes]);
  return Object.keys(row)
    .filter((name) => !known.has(name))
    .toSorted()
    .flatMap((name) => {
      const meant = closestName(name, attributes);
      const reason =
        meant === undefined ? otherwise(name) : `there is no such attribute. Did you mean ${meant}?`;
      return reason === undefined ? [] : [`${shownName(name)}: ${reason}`];
    });
}

function shownName(name: string): string {
  return /^\w{1,40}$/.test(name) ? name : shownValue(name);
}

export function joinSentences(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** The share of the longer text that may differ; with more it is another word. */
const differingShareMax = 0.45;

/** Ignores case, spaces and punctuation. Undefined if no name is similar. */
/** The valid name that a misspelled one most likely means. */
export function closestName(text: string, names: readonly string[]): string | undefined {
  const typed = plain(text);
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(typed, plain(name)), length: plain(name).length }))
    .filter(({ distance, length }) => distance <= differingShareMax * Math.max(typed.length, length))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.name;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9/*]/g, '');
}

/** Levenshtein's distance: the insertions, removals and replacements of a character that turn one text into the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
