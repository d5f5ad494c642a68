/**
 * Loads the bundles of functions, each with its own environment variables and no others. Reads `{ name: { folder,
 * variables } }` from its standard input, and prints by name what each read, or why it does not start.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const loaded = {};
for (const [name, { folder, variables }] of Object.entries(JSON.parse(readFileSync(0, 'utf8')))) {
  const read = new Set();
  process.env = new Proxy(variables, {
    get(target, variable) {
      read.add(variable);
      return target[variable];
    },
  });
  // Two functions may have one bundle.
  delete require.cache[join(folder, 'index.js')];
  try {
    require(join(folder, 'index.js'));
    loaded[name] = { read: [...read] };
  } catch (error) {
    loaded[name] = { read: [], fault: String(error) };
  }
}
process.stdout.write(JSON.stringify(loaded), () => process.exit());
