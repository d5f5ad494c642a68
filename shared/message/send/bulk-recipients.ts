/** Checks and renders the rows of a bulk request. Faulty rows are reported, and the others are sent. */
import * as z from 'zod/mini';
import { recipientRefusal, type SendingPermissions } from '../../client/sending-permissions.ts';
import { invalidRecipientText } from '../../contract/errors.ts';
import { canonicalRecipient, recipientAdvice } from '../../contract/phone-number.ts';
import { isGiven, optional, type UnknownField, unknownIn } from '../../operation/fields.ts';
import { maxMessageCharacters, render, renderedLength } from '../message-text.ts';
import type { RowErrorCode, rowError } from '../store/batches.dynamo.ts';
import { referenceText, smsText } from './send-fields.ts';

/** A character has at most two code units, so a text beyond this limit is refused without being rendered. */
const maxMessageUnits = 2 * maxMessageCharacters;
const tooLong = `The message must have at most ${maxMessageCharacters} characters after its values are filled in.`;

/** JSON allows integers of any size. An integer beyond these limits, such as a long order number, would be rounded. */
const exactNumber = z
  .number()
  .check(
    z.refine(
      (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
      'is too large to be exact: send it as a string',
    ),
  );
const variableValue = z.pipe(z.union([z.string(), exactNumber, z.boolean()]), z.transform(String));

/** A variable with the value null is treated as missing. */
const variableValues = z.pipe(
  z.record(z.string(), z.nullable(variableValue)),
  z.transform((values) =>
    Object.fromEntries(
      Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null),
    ),
  ),
);

const rowFields = z.object({
  // Read even if another field is invalid.
  to: z.optional(z.unknown()),
  variables: optional(variableValues),
  message: optional(z.string().check(z.minLength(1, 'must not be empty'))),
  reference: optional(referenceText),
});

export const bulkRecipientsMax = 1000;

/** A row is an object with `to`, or only a number. The rows are checked one by one. */
export const bulkRecipients = z.array(z.unknown()).check(z.minLength(1), z.maxLength(bulkRecipientsMax));

/** A parsed row, before it is compared with the other rows and the client's permissions. */
export interface BulkRow {
  /** The recipient as written in the row; undefined if it is not a string. */
  readonly given: string | undefined;
  /** The canonical form; undefined if it is not a phone number. */
  readonly recipient: string | undefined;
  readonly fields: {
    readonly variables?: Readonly<Record<string, string>> | undefined;
    readonly message?: string | undefined;
    readonly reference?: string | undefined;
  };
  /** The error of the row or of its other fields. These fields are then left out. */
  readonly fault: string | undefined;
}

export function unknownRowFields(rows: readonly unknown[]): UnknownField[] {
  return rows.flatMap((row, index) => unknownIn(rowFields, row, ['recipients', index]));
}

export function readRow(row: unknown): BulkRow {
  const given = recipientOf(row);
  if (typeof given !== 'string')
    return { given: undefined, recipient: undefined, fields: {}, fault: noRecipientText(row, given) };
  const recipient = canonicalRecipient(given);
  const fields = rowFields.safeParse(typeof row === 'string' ? {} : row);
  if (!fields.success) return { given, recipient, fields: {}, fault: sentenceOf(fields.error) };
  const { to: _read, variables = {}, ...others } = fields.data;
  // No variables and an empty object of variables mean the same (contract 5.7).
  const named = Object.keys(variables).length === 0 ? {} : { variables };
  return { given, recipient, fields: { ...others, ...named }, fault: undefined };
}

/** Returns the same object for rows that differ only in their spelling. */
export function canonicalRow({ given, recipient, fields, fault }: BulkRow): object {
  return { ...fields, to: recipient ?? given, fault };
}

/** @param defaults - contains the template `message` for rows without a message */
export function checkRows(
  rows: readonly BulkRow[],
  defaults: {
    readonly message?: string | undefined;
    readonly from?: string | undefined;
    readonly reference?: string | undefined;
  },
  permissions: SendingPermissions | undefined,
) {
  const good: {
    readonly index: number;
    readonly to: string;
    readonly text: string;
    readonly reference: string | undefined;
  }[] = [];
  const errors: Readonly<z.output<typeof rowError>>[] = [];
  const seen = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const checked = checkRow(row, seen, defaults, permissions);
    if ('error' in checked) {
      errors.push({ index, to: shortened(row.given), ...checked });
    } else {
      seen.set(checked.to, index);
      good.push({ index, ...checked });
    }
  }
  return { good, errors };
}

function checkRow(
  { given, recipient: to, fields, fault }: BulkRow,
  seen: ReadonlyMap<string, number>,
  defaults: Parameters<typeof checkRows>[1],
  permissions: SendingPermissions | undefined,
) {
  if (to === undefined) {
    return given === undefined
      ? refused('invalid_row', fault ?? invalidRecipientText)
      : refused('invalid_recipient', `${invalidRecipientText} ${recipientAdvice(given)}`);
  }
  const first = seen.get(to);
  if (first !== undefined) return refused('duplicate_recipient', `The recipient is already in row ${first}.`);
  const refusal = permissions && recipientRefusal(permissions, to, defaults.from);
  if (refusal !== undefined) return refused('forbidden', refusal);
  if (fault !== undefined) return refused('invalid_row', fault);
  const template = fields.message ?? defaults.message;
  if (template === undefined) {
    return refused('missing_message', 'Neither the row nor the request has a message.');
  }
  const variables = fields.variables ?? {};
  if (renderedLength(template, variables) > maxMessageUnits) {
    return refused('message_too_long', tooLong);
  }
  const rendered = render(template, variables);
  if (!rendered.ok) {
    return refused('missing_variable', `No value is given for ${namesIn(rendered.missing)}.`);
  }
  const text = smsText.safeParse(rendered.text);
  if (!text.success) {
    const code = [...rendered.text].length > maxMessageCharacters ? 'message_too_long' : 'invalid_row';
    return refused(code, `The message with its values ${text.error.issues[0]?.message}.`);
  }
  return { to, text: text.data, reference: fields.reference ?? defaults.reference };
}

function refused(error: RowErrorCode, message: string): { error: RowErrorCode; message: string } {
  return { error, message };
}

/** Shortens the recipient to limit the size of the batch row, which may contain 1,000 of them. */
function shortened(to: string | undefined): string | null {
  return to === undefined ? null : [...to].slice(0, 32).join('');
}

function namesIn(names: readonly string[]): string {
  const shown = names.slice(0, 2).join(', ');
  return names.length > 2 ? `${shown} and ${names.length - 2} more` : shown;
}

function recipientOf(row: unknown): unknown {
  return isObject(row) ? row.to : row;
}

function isObject(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

function noRecipientText(row: unknown, to: unknown): string {
  if (!isObject(row)) return 'The row must be a text, such as "+447700900123", or an object with "to".';
  if (isGiven(to)) return '"to" must be a text, such as "+447700900123".';
  return 'The row has no recipient: give one in "to".';
}

/** Names only the row's fields, never a variable, whose name can have any length. */
function sentenceOf(error: z.core.$ZodError): string {
  const faults = error.issues.map((issue) => `${String(issue.path[0] ?? 'the row')}: ${issue.message}`);
  return [...new Set(faults)].join('; ');
}
