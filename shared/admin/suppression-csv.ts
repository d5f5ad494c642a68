/** Suppressions as CSV, out and in: what was exported is imported as the same, and no line of a file is left out silently. */
import * as z from 'zod/mini';
import { GatewayError } from '../contract/errors.ts';
import { suppressionBody } from '../message/suppression/manage-suppressions.ts';
import type { SuppressionScope } from '../message/suppression/suppression.ts';
import type { SuppressionView } from '../message/suppression/suppression-response.schema.ts';
import { csvTable, parseCsv } from '../platform/csv.ts';
import { recipientSchema } from '../sender/phone-number.ts';

const columns = ['recipient', 'scope', 'reason', 'source', 'created_at', 'updated_at'] as const;

export function suppressionsCsv(suppressions: readonly SuppressionView[]): string {
  return csvTable(
    columns,
    suppressions.map((row) => columns.map((name) => row[name])),
  );
}

export interface ImportedLine {
  /** The line of the file, from 1. */
  readonly line: number;
  readonly recipient: string;
  /** Undefined where the file does not say it. */
  readonly scope?: SuppressionScope | undefined;
  readonly reason?: string | undefined;
}

interface LineFault {
  readonly line: number;
  readonly message: string;
}

const wanted = z.object({
  recipient: recipientSchema,
  scope: z.optional(z.enum(['messages', 'all'])),
  reason: suppressionBody.shape.reason,
});

/**
 * Reads a table with the columns `recipient`, and `scope` and `reason` where it has them; others are ignored. A file
 * without a header, whose first cell is a number, has these columns in this order.
 *
 * @throws GatewayError where it is no such table.
 */
export function readSuppressions(text: string): {
  readonly lines: readonly ImportedLine[];
  readonly faults: readonly LineFault[];
} {
  const rows = parseCsv(text).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const [first] = rows;
  const header = (first?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const isHeader = !/\d{5}/.test(header[0] ?? '');
  const names = isHeader ? header : columns.slice(0, 3);
  if (!names.includes('recipient')) {
    throw new GatewayError('invalid_request', 'The file has no column "recipient" in its first line.');
  }
  const lines: ImportedLine[] = [];
  const faults: LineFault[] = [];
  for (const { line, cells } of isHeader ? rows.slice(1) : rows) {
    if (cells.length > names.length) {
      faults.push({ line, message: `has ${cells.length} columns, the header ${names.length}` });
      continue;
    }
    const cell = (name: string): string | undefined => cells[names.indexOf(name)]?.trim() || undefined;
    const parsed = wanted.safeParse({
      recipient: cell('recipient') ?? '',
      scope: cell('scope')?.toLowerCase(),
      reason: cell('reason'),
    });
    if (parsed.success) lines.push({ line, ...parsed.data });
    else faults.push(...parsed.error.issues.map((issue) => faultOf(line, issue)));
  }
  return { lines, faults };
}

function faultOf(line: number, { path, message, code }: z.core.$ZodIssue): LineFault {
  const field = String(path[0] ?? '');
  if (field === 'scope') return { line, message: 'scope must be "messages" or "all"' };
  return { line, message: `${field} ${code === 'too_big' ? 'must have 256 characters or fewer' : message}` };
}
