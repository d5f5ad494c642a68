/** An administrator's view of whom a client may not send to, and changes of it; each change is in the activity log. */
import type * as z from 'zod/mini';
import { recordActivity } from '../activity/record-activity.ts';
import {
  endSuppression,
  suppress,
  type suppressionBody,
  suppressionsOf,
  type suppressionsQuery,
} from '../message/suppression/manage-suppressions.ts';
import type {
  RemovedSuppression,
  SuppressionList,
  SuppressionView,
} from '../message/suppression/suppression-response.schema.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './clients.ts';

/** @param client - its id or name */
export async function listSuppressions(
  dependencies: AdminDependencies,
  client: string,
  query: z.output<typeof suppressionsQuery>,
): Promise<SuppressionList> {
  return suppressionsOf(dependencies.suppressions, await clientIdOf(dependencies, client), query);
}

/** @throws GatewayError if there is no such client. */
export async function putSuppression(
  dependencies: AdminDependencies,
  actor: string,
  client: string,
  recipient: string,
  { scope, reason }: z.output<typeof suppressionBody>,
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
  client: string,
  recipient: string,
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

function changeBy({ clock, newUuid }: AdminDependencies, client_id: string, recipient: string) {
  return { client_id, recipient, source: 'admin', at: clock(), cause: newUuid() } as const;
}
