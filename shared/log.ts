/** One wide line for each unit of work, with the ids that tie it to the others; numbers masked, bodies and secrets never. */
import { Logger } from '@aws-lambda-powertools/logger';

/** Of the service that `POWERTOOLS_SERVICE_NAME` names: the stage's stack. */
export const log = new Logger();

/** `+447700900123` → `+4477*****123`: enough to tell two apart, too little to call. */
export function maskNumber(number: string): string {
  const [shownBefore, shownAfter] = [5, 3];
  if (number.length <= shownBefore + shownAfter) return '*'.repeat(number.length);
  const hidden = '*'.repeat(number.length - shownBefore - shownAfter);
  return number.slice(0, shownBefore) + hidden + number.slice(-shownAfter);
}
