/** Resends webhooks by their ids, and shows one sentence for each kind of result. */

import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { useChange } from '../api/queries.ts';
import { useDashboard } from '../dashboard-context.ts';

type Outcome = RowOf<'resendWebhooks', 'results'>['outcome'];

/** Singular and plural. */
const sentences: Readonly<Record<Outcome, readonly [string, string]>> = {
  resent: ['webhook is being resent', 'webhooks are being resent'],
  already_waiting: ['is already waiting for its next attempt', 'are already waiting for their next attempt'],
  acknowledged_meanwhile: ['has already been acknowledged', 'have already been acknowledged'],
  not_found: ['is not known', 'are not known'],
  failed: ['could not be resent; try again', 'could not be resent; try again'],
};
const notDone: ReadonlySet<Outcome> = new Set(['not_found', 'failed']);

/** @param options - `even_acknowledged`: also resends webhooks that the endpoint has acknowledged */
export function useResend(options: { readonly even_acknowledged?: true } = {}) {
  const { api, notify } = useDashboard();
  return useChange({
    mutationFn: (ids: readonly string[]) => api.send('resendWebhooks', {}, { delivery_ids: ids, ...options }),
    onSuccess: ({ results }) => notify(...noticeOf(results)),
  });
}

function noticeOf(results: readonly RowOf<'resendWebhooks', 'results'>[]): ['success' | 'error', string] {
  const told = (Object.keys(sentences) as Outcome[]).flatMap((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length;
    const [one, several] = sentences[outcome];
    return count === 0 ? [] : [count === 1 ? `One ${one}.` : `${count} ${several}.`];
  });
  const isDone = results.every(({ outcome }) => !notDone.has(outcome));
  return [isDone ? 'success' : 'error', told.join(' ')];
}
