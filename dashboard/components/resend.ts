/** Resends webhooks, and notifies of the result: one sentence for each kind of it. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ResendResult } from '../../shared/admin/webhook-resend.ts';
import { useDashboard } from '../context.ts';

type Outcome = ResendResult['outcome'];

/** Singular and plural. */
const sentences: Readonly<Record<Outcome, readonly [string, string]>> = {
  resent: ['webhook is being resent', 'webhooks are being resent'],
  already_waiting: ['is already waiting for its next attempt', 'are already waiting for their next attempt'],
  acknowledged_meanwhile: ['has already been acknowledged', 'have already been acknowledged'],
  not_found: ['is not known', 'are not known'],
  failed: ['could not be resent; try again', 'could not be resent; try again'],
};
const notDone: ReadonlySet<Outcome> = new Set(['not_found', 'failed']);

/** @param options - `even_acknowledged`: also those that the endpoint has acknowledged */
export function useResend(options: { readonly even_acknowledged?: true } = {}) {
  const { api, notify } = useDashboard();
  return useMutation({
    mutationFn: (ids: readonly string[]) => api.send('resendWebhooks', {}, { delivery_ids: ids, ...options }),
    onSuccess: ({ results }) => notify(...noticeOf(results)),
  });
}

/** Below what one request to the admin API may take at twenty a second. */
const resentAtOnce = 50;

interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * Resends any number of webhooks, some at a time, with the progress. It ends when the page is left; those that are left
 * over stay failed, so it can be repeated.
 *
 * @param failed - finds their ids
 */
export function useResendAll(
  failed: () => Promise<{ readonly ids: readonly string[]; readonly isAll: boolean }>,
) {
  const { api, notify } = useDashboard();
  const [progress, setProgress] = useState<Progress>();
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const mutation = useMutation({
    mutationFn: async () => {
      const { ids, isAll } = await failed();
      const results: ResendResult[] = [];
      while (results.length < ids.length && !isLeft.current) {
        setProgress({ done: results.length, total: ids.length });
        const some = ids.slice(results.length, results.length + resentAtOnce);
        const answer = await api.send('resendWebhooks', {}, { delivery_ids: some });
        results.push(...answer.results);
      }
      return { results, isAll };
    },
    onSuccess: ({ results, isAll }) => {
      if (results.length === 0) notify('success', 'No webhook of these is failed now.');
      else notify(...noticeOf(results));
      if (!isAll) notify('success', 'There are more failed webhooks: resend all again.');
    },
    onSettled: () => setProgress(undefined),
  });
  return { ...mutation, progress };
}

function noticeOf(results: readonly ResendResult[]): ['success' | 'error', string] {
  const told = (Object.keys(sentences) as Outcome[]).flatMap((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length;
    const [one, several] = sentences[outcome];
    return count === 0 ? [] : [count === 1 ? `One ${one}.` : `${count} ${several}.`];
  });
  const isDone = results.every(({ outcome }) => !notDone.has(outcome));
  return [isDone ? 'success' : 'error', told.join(' ')];
}
