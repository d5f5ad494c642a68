/**
 * Runs one benchmark, `npm run bench -- NAME [arguments]`: docs/figures.md and docs/cost-and-scale.md have the results, and
 * what is decided by them.
 */
const names = [
  'start',
  'rate-check',
  'handlers',
  'against',
  'growth',
  'memory',
  'bulk',
  'first-rows',
  'deliver',
  'event-to-post',
  'isolation',
  'neighbours',
  'many-hang',
  'replay',
  'schedule',
  'pacing',
  'fairness',
];

const [name = ''] = process.argv.splice(2, 1);
if (names.includes(name)) {
  await import(`./${name}.ts`);
} else {
  console.error(`npm run bench -- NAME [arguments]: the names are ${names.join(', ')}`);
  process.exitCode = 2;
}
