/** While a limit is edited: which window refuses requests first with the new value, before it is saved. */
import type { EndpointLimits, LimitsView } from '../../../shared/admin/limits.ts';
import { firstReached, limitFault, plainLimit } from '../../../shared/limit/entered-limits.ts';
import { Secondary } from '../../components/text.tsx';
import { durationText, numberText } from '../../value-names.ts';
import { limitWindows } from './limit-field.ts';

interface LimitPreviewProps {
  readonly row: EndpointLimits;
  readonly field: keyof LimitsView;
  /** As entered: empty for the default. */
  readonly text: string;
}

export function LimitPreview({ row, field, text }: LimitPreviewProps) {
  if (limitFault(row, text) !== undefined) return null;
  const entered = text.trim() === '' ? row.defaults?.[field] : Number(plainLimit(row, text));
  const limits: LimitsView = { ...row.in_force, [field]: entered };
  const inForce = limitWindows.flatMap((window) => {
    const limit = limits[window];
    return limit === undefined ? [] : [{ window, limit }];
  });
  const first = firstReached(inForce);
  const [shortest] = inForce;
  if (shortest === undefined) return null;
  return (
    <div aria-live="polite">
      <Secondary>
        {first === undefined
          ? `Reached first: ${limitText(shortest.window, shortest.limit)}.`
          : `Reached first: ${limitText(first.window, limits[first.window] ?? 0)}, after ${durationText(Math.round(first.afterSeconds))} at full rate.`}
      </Secondary>
    </div>
  );
}

function limitText(window: keyof LimitsView, limit: number): string {
  return `${numberText(limit)} ${window.replace('_', ' ')}`;
}
