/**
 * Diagnoses a client: finds its present problems and the command that fixes each. It reads access, limits, spend,
 * messages, webhooks and suppressions.
 */
import type { SuppressionSource } from '../../message/suppression/suppression.ts';
import type { SuppressionPage } from '../../message/suppression/suppression-store.dynamo.ts';
import type { AdminDependencies } from '../admin-dependencies.ts';
import { showClient } from '../clients.ts';
import { type ExplainedEndpoint, explainLimits } from '../explain-limits.ts';
import { clientIdOf } from '../find-client.ts';
import { limitsOf } from '../limits.ts';
import { otpHoldsOf } from '../otp-holds.ts';
import { listEndpoints } from '../webhooks.ts';
import { type ClientEndpoint, clientEndpoints } from './client-endpoints.ts';
import { type ClientFacts, type Finding, findingsOf } from './findings.ts';
import { type FailedMessage, type MessageOutcomes, outcomesOf, recentFailures } from './message-outcomes.ts';

export interface Diagnosis {
  readonly client_id: string;
  readonly name: string;
  readonly at: string;
  /** Problems first. */
  readonly findings: readonly Finding[];
  readonly limits: readonly ExplainedEndpoint[];
  readonly messages: MessageOutcomes;
  /** The newest first. */
  readonly recent_failures: readonly FailedMessage[];
  readonly webhooks: readonly ClientEndpoint[];
  readonly suppressions: SuppressedRecipients;
}

/** The recipients to whom messages of the client are not sent. */
interface SuppressedRecipients {
  readonly count: number;
  /** Whether there are more. */
  readonly more: boolean;
  readonly by_source: Readonly<Partial<Record<SuppressionSource, number>>>;
}

/** More are counted as this many. */
const suppressionsMax = 1000;

/** @param client - its id or name */
export async function diagnoseClient(dependencies: AdminDependencies, client: string): Promise<Diagnosis> {
  const clientId = await clientIdOf(dependencies, client);
  const now = dependencies.clock();
  const [shown, explained, rows, holds, [messages, failures], { endpoints: webhooks }, managed, suppressed] =
    await Promise.all([
      showClient(dependencies, clientId),
      explainLimits(dependencies, clientId),
      limitsOf(dependencies, clientId),
      otpHoldsOf(dependencies, clientId),
      outcomesAndFailures(dependencies, clientId, now),
      clientEndpoints(dependencies, clientId),
      listEndpoints(dependencies, clientId),
      dependencies.suppressions.list(clientId, suppressionsMax, undefined),
    ]);
  const limits = explained.endpoints;
  const facts: ClientFacts = { client: shown, limits, rows, holds, messages, webhooks, managed };
  return {
    client_id: clientId,
    name: shown.name,
    at: now.toISOString(),
    findings: findingsOf(facts),
    limits,
    messages,
    recent_failures: failures,
    webhooks,
    suppressions: suppressedRecipients(suppressed),
  };
}

async function outcomesAndFailures(dependencies: AdminDependencies, clientId: string, now: Date) {
  const outcomes = await outcomesOf(dependencies, clientId, now);
  return [outcomes, await recentFailures(dependencies, clientId, outcomes)] as const;
}

function suppressedRecipients({ suppressions, nextAfter }: SuppressionPage): SuppressedRecipients {
  const groups = Map.groupBy(suppressions, ({ source }) => source);
  return {
    count: suppressions.length,
    more: nextAfter !== undefined,
    by_source: Object.fromEntries([...groups].map(([source, rows]) => [source, rows.length])),
  };
}
