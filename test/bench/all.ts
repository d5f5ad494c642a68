/** Runs one benchmark: `npm run bench -- NAME [arguments]`. `docs/cost-and-scale.md` lists the figures that we keep. */
const names = ['start', 'handlers', 'rate-check', 'growth', 'isolation', 'deliver', 'pipeline'];

const [name = ''] = process.argv.splice(2, 1);
if (names.includes(name)) {
  await import(`./${name}.ts`);
} else {
  console.error(`npm run bench -- NAME [arguments]: the names are ${names.join(', ')}`);
  process.exitCode = 2;
}
