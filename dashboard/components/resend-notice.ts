/** What became of webhooks that were to be sent again, in one sentence for each result. */
import type { ResendResult } from '../../shared/admin/webhooks.ts';

type Outcome = ResendResult['outcome'];

/** Each for one webhook, and for several. */
const sentences: Readonly<Record<Outcome, readonly [string, string]>> = {
  resent: ['webhook is sent again', 'webhooks are sent again'],
  already_waiting: ['is already waiting for its next attempt', 'are already waiting for their next attempt'],
  acknowledged_meanwhile: ['has been acknowledged by now', 'have been acknowledged by now'],
  not_found: ['is not known', 'are not known'],
  failed: ['could not be sent again: try it once more', 'could not be sent again: try them once more'],
};
const notDone: ReadonlySet<Outcome> = new Set(['not_found', 'failed']);

export function resendNotice(results: readonly ResendResult[]): {
  readonly type: 'success' | 'error';
  readonly text: string;
} {
  const told = (Object.keys(sentences) as Outcome[]).flatMap((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length;
    const [one, several] = sentences[outcome];
    return count === 0 ? [] : [count === 1 ? `One ${one}.` : `${count} ${several}.`];
  });
  const isDone = results.every(({ outcome }) => !notDone.has(outcome));
  return { type: isDone ? 'success' : 'error', text: told.join(' ') };
}
