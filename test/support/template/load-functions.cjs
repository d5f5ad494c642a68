/**
 * Loads the bundles of functions, each with its own environment variables and no others. Reads `{ name: { folder,
 * variables } }` from its standard input. Prints by name the variables that the bundle names, and why it does not start.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const loaded = {};
for (const [name, { folder, variables }] of Object.entries(JSON.parse(readFileSync(0, 'utf8')))) {
  process.env = variables;
  const file = join(folder, 'index.js');
  const code = readFileSync(file, 'utf8');
  loaded[name] = { named: Object.keys(variables).filter((variable) => code.includes(variable)) };
  // Two functions may have one bundle.
  delete require.cache[file];
  try {
    require(file);
  } catch (error) {
    loaded[name].fault = String(error);
  }
}
process.stdout.write(JSON.stringify(loaded), () => process.exit());
