/**
 * Shows an administrator the recipients to whom a client may not send, and changes this list, one by one or from a file;
 * each change is in the activity log.
 */
import * as z from 'zod/mini';
import { recordActivity } from '../activity/write-activity.dynamo.ts';
import { GatewayError } from '../contract/errors.ts';
import { personSchema, withoutSeparators } from '../contract/phone-number.ts';
import {
  endSuppression,
  suppress,
  suppressionBody,
  suppressionsOf,
  type suppressionsQuery,
} from '../message/suppression/manage-suppressions.ts';
import type { SuppressionScope } from '../message/suppression/suppression.ts';
import { suppressionOf } from '../message/suppression/suppressions.dynamo.ts';
import { chunksOf } from '../platform/aws/read-rows.dynamo.ts';
import { parseCsv } from '../platform/csv.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';

/** @param client - its id or name */
export async function listSuppressions(
  ctx: AdminContext,
  client: string,
  query: z.output<typeof suppressionsQuery>,
) {
  return suppressionsOf(ctx, await clientIdOf(ctx, client), query);
}

/** @throws GatewayError if there is no such client. */
export async function putSuppression(
  ctx: AdminContext,
  actor: string,
  {
    client,
    recipient,
    scope,
    reason,
  }: z.output<typeof suppressionBody> & {
    /** Its id or name. */ readonly client: string;
    readonly recipient: string;
  },
) {
  const clientId = await clientIdOf(ctx, client);
  const before = await suppressionOf(ctx, clientId, recipient);
  await recordActivity(ctx, actor, {
    kind: 'suppression_changed',
    summary: `${actor} suppressed ${scope === 'all' ? 'everything' : 'messages'} to a recipient`,
    clientId,
    before: { recipient, scope: before?.scope ?? null, reason: before?.reason ?? null },
    after: { recipient, scope, reason: reason ?? null },
  });
  return suppress(ctx, {
    ...changeBy(ctx, clientId, recipient),
    scope,
    reason,
  });
}

/**
 * Ends the suppression of the client, and the suppressions of our senders that its row names. Only an administrator, or a
 * START of the recipient, can end suppressions of senders.
 *
 * @throws GatewayError if there is no such client, or if the recipient is not suppressed.
 */
export async function deleteSuppression(
  ctx: AdminContext,
  actor: string,
  { client, recipient }: { readonly client: string; readonly recipient: string },
) {
  const clientId = await clientIdOf(ctx, client);
  const before = await suppressionOf(ctx, clientId, recipient, { consistent: true });
  const ending = changeBy(ctx, clientId, recipient);
  const record = () =>
    recordActivity(ctx, actor, {
      kind: 'suppression_changed',
      summary: `${actor} ended the suppression of a recipient`,
      clientId,
      before: { recipient, scope: before?.scope ?? null, reason: before?.reason ?? null },
      after: { recipient, scope: null, reason: null },
    });
  if (before !== undefined) await record();
  const ended = await endSuppression(ctx, ending);
  // Records the change now if there were only rows of senders.
  if (before === undefined) await record();
  return ended;
}

/**
 * Suppresses all of them. A repeated import changes nothing, so you can run a failed import again. If the file does not name
 * a scope, the stored scope stays.
 *
 * @throws GatewayError if there is no such client.
 */
export async function importSuppressions(
  ctx: AdminContext,
  actor: string,
  {
    client,
    lines,
    report,
  }: {
    /** Its id or name. */
    readonly client: string;
    readonly lines: readonly ImportedLine[];
    readonly report: (line: string) => void;
  },
) {
  const clientId = await clientIdOf(ctx, client);
  // If a recipient has several lines, the last line applies, as if the lines were imported one after the other.
  const recipients = [...new Map(lines.map((line) => [line.recipient, line])).values()];
  await recordActivity(ctx, actor, {
    kind: 'suppression_changed',
    summary: `${actor} imported suppressions of ${recipients.length} recipients`,
    clientId,
    after: { recipients: recipients.length },
  });
  let [done, suppressed] = [0, 0];
  for (const some of chunksOf(recipients, importedAtOnce)) {
    const changes = await Promise.all(some.map((line) => importOne(ctx, clientId, line)));
    suppressed += changes.filter((isNew) => isNew).length;
    const before = done;
    done += some.length;
    if (Math.floor(before / reportedEvery) < Math.floor(done / reportedEvery)) {
      report(`${done} of ${recipients.length} recipients`);
    }
  }
  return { recipients: recipients.length, suppressed };
}

/** @returns true if the recipient was not suppressed before */
async function importOne(
  ctx: AdminContext,
  clientId: string,
  { recipient, scope, reason }: ImportedLine,
): Promise<boolean> {
  // Reads consistently, because an older version may lack the scope that must stay.
  const known = await suppressionOf(ctx, clientId, recipient, { consistent: true });
  const wanted = scope ?? known?.scope ?? 'messages';
  if (known?.scope === wanted && (reason === undefined || reason === known.reason)) return false;
  await suppress(ctx, {
    ...changeBy(ctx, clientId, recipient),
    scope: wanted,
    reason: reason ?? known?.reason,
  });
  return known === undefined;
}

const importedAtOnce = 25;
const reportedEvery = 10_000;

function changeBy({ clock }: AdminContext, client_id: string, recipient: string) {
  return { client_id, recipient, source: 'admin', at: clock() } as const;
}

/** The columns of a file without a header. */
const columns: readonly string[] = ['recipient', 'scope', 'reason'];

interface ImportedLine {
  /** The number of the line in the file, from 1. */
  readonly line: number;
  readonly recipient: string;
  /** Undefined if the file does not contain a scope. */
  readonly scope?: SuppressionScope | undefined;
  readonly reason?: string | undefined;
}

const wanted = z.object({
  recipient: personSchema,
  scope: z.optional(z.enum(['messages', 'all'])),
  reason: suppressionBody.shape.reason,
});

/**
 * Reads a table with the column `recipient` and the optional columns `scope` and `reason`; ignores other columns. If
 * the first cell is a number, the file has no header, and its columns are in this order.
 *
 * @throws GatewayError if the text is not such a table.
 */
export function readSuppressions(text: string) {
  const rows = parseCsv(text).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const [first] = rows;
  const header = (first?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const isHeader = !/\d{5}/.test(withoutSeparators(header[0] ?? ''));
  const names = isHeader ? header : columns;
  if (!names.includes('recipient')) {
    throw new GatewayError('invalid_request', 'The file has no column "recipient" in its first line.');
  }
  const lines: ImportedLine[] = [];
  const faults: ReturnType<typeof faultOf>[] = [];
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

function faultOf(line: number, { path, message, code }: z.core.$ZodIssue) {
  const field = String(path[0] ?? '');
  if (field === 'scope') return { line, message: 'scope must be "messages" or "all"' };
  return { line, message: `${field} ${code === 'too_big' ? 'must have 256 characters or fewer' : message}` };
}
