/** When a failed webhook attempt is repeated (specification, section 6.4). */

/** Seconds from the end of a failed attempt to the next one. */
export const retryDelaysSeconds = [30, 120, 600, 3600, 21_600] as const;

const units = [
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** The delays as a guide names them: `30 seconds, 2 minutes and 1 hour`. */
export function inWords(delaysSeconds: readonly number[]): string {
  const words = delaysSeconds.map((delay) => {
    const unit = units.find(({ seconds }) => delay % seconds === 0) ?? units[2];
    const count = delay / unit.seconds;
    return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  });
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}
