/** How far a resend of many webhooks is: a bar, the rate, and when it ends at this rate. */
import ProgressBar from '@cloudscape-design/components/progress-bar';
import { durationText, numberText } from '../value-names.ts';

interface ResendProgressProps {
  readonly done: number;
  readonly total: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly note?: string;
}

export function ResendProgress({ done, total, startedAt, note = '' }: ResendProgressProps) {
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
