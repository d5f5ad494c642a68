/** Resends every failed webhook of a list, with the progress. */

import { type ComponentProps, useState } from 'react';
import type { ActivityView } from '../../../shared/admin/activity.ts';
import type { ResendResult } from '../../../shared/admin/webhooks.ts';
import { useChange } from '../../api/change.ts';
import { longestPage, type ReadPage } from '../../api/pages.ts';
import { useIsShown } from '../../components/form.ts';
import { noticeOf } from '../../components/resend.ts';
import type { ResendProgress } from '../../components/resend-progress.tsx';
import { useDashboard } from '../../context.ts';

/** Below what one request to the admin API may take at twenty a second. */
const webhooksPerRequest = 50;

/**
 * Resends any number of webhooks, some at a time, with the progress. It ends when the page is left; those that are left
 * over stay failed, so it can be repeated.
 */
export function useResendAll(readPage: ReadPage<ActivityView>) {
  const { api, notify } = useDashboard();
  const [progress, setProgress] = useState<ComponentProps<typeof ResendProgress>>();
  const isShown = useIsShown();
  const mutation = useChange({
    mutationFn: async () => {
      const { ids, isAll } = await failedIn(readPage);
      const results: ResendResult[] = [];
      const startedAt = Date.now();
      while (results.length < ids.length && isShown.current) {
        setProgress({ done: results.length, total: ids.length, startedAt });
        const some = ids.slice(results.length, results.length + webhooksPerRequest);
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
  });
  return { ...mutation, progress: mutation.isPending ? progress : undefined };
}

const webhooksMax = 1000;
const pagesMax = 50;

/** The webhooks in these entries that are failed now; `isAll` is false if there may be more. */
async function failedIn(readPage: ReadPage<ActivityView>) {
  const ids = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax && ids.size < webhooksMax; pages += 1) {
    const { rows, nextCursor } = await readPage(longestPage(cursor));
    for (const { delivery } of rows) if (delivery?.state === 'failed') ids.add(delivery.delivery_id);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return { ids: [...ids], isAll: cursor === undefined };
}
