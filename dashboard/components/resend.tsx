/** Resends webhooks. Shows the progress, and one sentence for each kind of result. */

import ProgressBar from '@cloudscape-design/components/progress-bar';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { useChange } from '../api/queries.ts';
import { useDashboard } from '../dashboard-context.ts';
import { durationText, numberText } from '../value-names.ts';

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

export function noticeOf(
  results: readonly RowOf<'resendWebhooks', 'results'>[],
): ['success' | 'error', string] {
  const told = (Object.keys(sentences) as Outcome[]).flatMap((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length;
    const [one, several] = sentences[outcome];
    return count === 0 ? [] : [count === 1 ? `One ${one}.` : `${count} ${several}.`];
  });
  const isDone = results.every(({ outcome }) => !notDone.has(outcome));
  return [isDone ? 'success' : 'error', told.join(' ')];
}

/** Shows the progress of a resend of many webhooks: a bar, the rate, and the expected end. */
export function ResendProgress({
  done,
  total,
  startedAt,
  note = '',
}: {
  readonly done: number;
  readonly total: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly note?: string;
}) {
  return (
    <ProgressBar
      label="Resending webhooks"
      value={total === 0 ? 0 : Math.round((100 * done) / total)}
      description={`${numberText(done)} of ${numberText(total)} resent`}
      additionalInfo={[paceText({ done, total, seconds: (Date.now() - startedAt) / 1000 }), note]
        .join(' ')
        .trim()}
    />
  );
}

function paceText({ done, total, seconds }: { done: number; total: number; seconds: number }): string {
  if (done === 0 || seconds <= 0) return '';
  const perSecond = done / seconds;
  const rate =
    perSecond >= 1
      ? `${numberText(Math.round(perSecond))} a second`
      : `${numberText(Math.round(perSecond * 60))} a minute`;
  return `${rate}, about ${durationText(Math.ceil((total - done) / perSecond))} left.`;
}
