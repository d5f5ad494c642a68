/** Times in the texts of errors and of the documentation, from the numbers that the code has. */

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** Times as a guide names them: `30 seconds, 2 minutes and 1 hour`. */
export function inWords(timesSeconds: readonly number[]): string {
  const words = timesSeconds.map((time) => {
    const unit = units.find(({ seconds }) => time % seconds === 0) ?? units[3];
    const count = time / unit.seconds;
    return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  });
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}
