/**
 * When a webhook attempt has failed, and when it is repeated (specification, section 6.4). The delays are promised to
 * clients, so a `Retry-After` header of the endpoint has no effect.
 */

/** From the start of an attempt to the status line of the endpoint's answer. */
export const acknowledgeWithinSeconds = 5;

/** Seconds from the end of a failed attempt to the next one. */
export const retryDelaysSeconds = [30, 120, 600, 3600, 21_600] as const;

const units = [
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** Times as a guide names them: `30 seconds, 2 minutes and 1 hour`. */
export function inWords(timesSeconds: readonly number[]): string {
  const words = timesSeconds.map((time) => {
    const unit = units.find(({ seconds }) => time % seconds === 0) ?? units[2];
    const count = time / unit.seconds;
    return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  });
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}
