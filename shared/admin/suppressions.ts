/** An administrator's view of whom a client may not send to, and changes of it; each change is in the activity log. */
import type * as z from 'zod/mini';
import { recordActivity } from '../activity/activity-log.ts';
import {
  endSuppression,
  suppress,
  type suppressionBody,
  suppressionsOf,
  type suppressionsQuery,
  suppressionView,
} from '../message/suppression/manage-suppressions.ts';
import type {
  RemovedSuppression,
  SuppressionList,
  SuppressionView,
} from '../message/suppression/suppression-response.schema.ts';
import { chunksOf } from '../platform/long-lists.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './find-client.ts';
import type { ImportedLine } from './suppression-csv.ts';

/** @param client - its id or name */
export async function listSuppressions(
  dependencies: AdminDependencies,
  client: string,
  query: z.output<typeof suppressionsQuery>,
): Promise<SuppressionList> {
  return suppressionsOf(dependencies.suppressions, await clientIdOf(dependencies, client), query);
}

interface SuppressedRecipient {
  /** Its id or name. */
  readonly client: string;
  readonly recipient: string;
}

/** @throws GatewayError if there is no such client. */
export async function putSuppression(
  dependencies: AdminDependencies,
  actor: string,
  { client, recipient, scope, reason }: SuppressedRecipient & z.output<typeof suppressionBody>,
): Promise<SuppressionView> {
  const clientId = await clientIdOf(dependencies, client);
  const before = await dependencies.suppressions.get(clientId, recipient);
  await recordActivity(dependencies, actor, {
    kind: 'suppression_changed',
    summary: `${actor} suppressed ${scope === 'all' ? 'everything' : 'messages'} to a recipient`,
    clientId,
    before: { recipient, scope: before?.scope ?? null, reason: before?.reason ?? null },
    after: { recipient, scope, reason: reason ?? null },
  });
  return suppress(dependencies.suppressions, {
    ...changeBy(dependencies, clientId, recipient),
    scope,
    reason,
  });
}

/** @throws GatewayError if there is no such client, or if the recipient is not suppressed. */
export async function deleteSuppression(
  dependencies: AdminDependencies,
  actor: string,
  { client, recipient }: SuppressedRecipient,
): Promise<RemovedSuppression> {
  const clientId = await clientIdOf(dependencies, client);
  const before = await dependencies.suppressions.get(clientId, recipient);
  const change = { ...changeBy(dependencies, clientId, recipient), scope: undefined };
  if (before !== undefined) {
    await recordActivity(dependencies, actor, {
      kind: 'suppression_changed',
      summary: `${actor} ended the suppression of a recipient`,
      clientId,
      before: { recipient, scope: before.scope, reason: before.reason ?? null },
      after: { recipient, scope: null, reason: null },
    });
  }
  return endSuppression(dependencies.suppressions, change);
}

/** All of them, by number. @param client - its id or name */
export async function allSuppressions(
  dependencies: AdminDependencies,
  client: string,
): Promise<readonly SuppressionView[]> {
  const clientId = await clientIdOf(dependencies, client);
  const found: SuppressionView[] = [];
  let after: string | undefined;
  do {
    const page = await dependencies.suppressions.list(clientId, suppressionsPerRead, after);
    found.push(...page.suppressions.map(suppressionView));
    after = page.nextAfter;
  } while (after !== undefined);
  return found;
}

interface SuppressionImport {
  /** Its id or name. */
  readonly client: string;
  readonly lines: readonly ImportedLine[];
  /** Told how far it is. */
  readonly report: (line: string) => void;
}

interface ImportedSuppressions {
  /** How many recipients were given. */
  readonly recipients: number;
  /** How many of them were not suppressed before. */
  readonly suppressed: number;
}

/**
 * Suppresses them all; a repeat changes nothing, so an import that failed is done again. A scope that the file does not
 * say stays what it is.
 *
 * @throws GatewayError if there is no such client.
 */
export async function importSuppressions(
  dependencies: AdminDependencies,
  actor: string,
  { client, lines, report }: SuppressionImport,
): Promise<ImportedSuppressions> {
  const clientId = await clientIdOf(dependencies, client);
  // The last line of a recipient counts, as if they were imported one after the other.
  const recipients = [...new Map(lines.map((line) => [line.recipient, line])).values()];
  await recordActivity(dependencies, actor, {
    kind: 'suppression_changed',
    summary: `${actor} imported suppressions of ${recipients.length} recipients`,
    clientId,
    after: { recipients: recipients.length },
  });
  let [done, suppressed] = [0, 0];
  for (const some of chunksOf(recipients, importedAtOnce)) {
    const changes = await Promise.all(some.map((line) => importOne(dependencies, clientId, line)));
    suppressed += changes.filter((isNew) => isNew).length;
    const before = done;
    done += some.length;
    if (Math.floor(before / reportedEvery) < Math.floor(done / reportedEvery)) {
      report(`${done} of ${recipients.length} recipients`);
    }
  }
  return { recipients: recipients.length, suppressed };
}

/** @returns whether the recipient was not suppressed before */
async function importOne(
  dependencies: AdminDependencies,
  clientId: string,
  { recipient, scope, reason }: ImportedLine,
): Promise<boolean> {
  const known = await dependencies.suppressions.get(clientId, recipient);
  const wanted = scope ?? known?.scope ?? 'messages';
  if (known?.scope === wanted && (reason === undefined || reason === known.reason)) return false;
  await suppress(dependencies.suppressions, {
    ...changeBy(dependencies, clientId, recipient),
    scope: wanted,
    reason: reason ?? known?.reason,
  });
  return known === undefined;
}

const suppressionsPerRead = 1000;
const importedAtOnce = 25;
const reportedEvery = 10_000;

function changeBy({ clock, newUuid }: AdminDependencies, client_id: string, recipient: string) {
  return { client_id, recipient, source: 'admin', at: clock(), cause: newUuid() } as const;
}
