/**
 * cfn-lint on the template of every stage, and of production with all settings of enterprises: `npm run test:all -- templates`;
 * with each of these settings alone, too: `npm run test:release -- templates each-setting`. Exits with 1 on any finding.
 */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { deployments, enterpriseDeployments } from '../support/template/deployments.ts';
import { forgetTemplates, synthesized } from '../support/template/stage-templates.ts';

/** The CDK names dependencies that a reference implies already; they do no harm, and no setting of it ends that. */
const ignoredAlways = 'W3005';
/** Only the emulator needs this: it asks for an action that AWS does not know. */
const ignoredLocally = 'W3037';

const localFolder = join(import.meta.dirname, '..', '..', '.local');
const python = await pythonWithPackages(
  localFolder,
  () => console.log('Installing cfn-lint (once)'),
  new AbortController().signal,
  join(import.meta.dirname, 'requirements.txt'),
);
const lint = join(dirname(python), 'cfn-lint');
const [scope] = process.argv.slice(2);
const names = [
  ...Object.keys(deployments),
  ...(scope === 'each-setting' ? Object.keys(enterpriseDeployments) : []),
];
const findings = z.array(
  z.looseObject({ Filename: z.string(), Message: z.string(), Rule: z.looseObject({ Id: z.string() }) }),
);

/** What cfn-lint finds in each template. One process reads its rules, which takes longer than a template, once for all. */
async function findingsIn(files: readonly string[], ignored: readonly string[]) {
  const args = [lint, '--format', 'json', '--ignore-checks', ...ignored, '--', ...files];
  const options = { timeout: 900_000, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(python, args, options).catch(
    // Its exit status is not 0 where it found something, and then it printed what.
    (error: { stdout?: string }) => {
      if (!error.stdout) throw error;
      return { stdout: error.stdout };
    },
  );
  return findings.parse(JSON.parse(stdout));
}

const fileOf = new Map(names.map((name) => [name, synthesized(name).file]));
const found = [
  ...(await findingsIn(
    names.filter((name) => name !== 'local').map((name) => fileOf.get(name) ?? ''),
    [ignoredAlways],
  )),
  ...(await findingsIn([fileOf.get('local') ?? ''], [ignoredAlways, ignoredLocally])),
];
let failed = 0;
for (const [name, file] of fileOf) {
  const own = found.filter(({ Filename }) => Filename === file);
  failed += own.length === 0 ? 0 : 1;
  const lines = own.map(({ Rule, Message }) => `  ${Rule.Id} ${Message}`);
  console.log(own.length === 0 ? `${name}: no findings` : `${name}:\n${lines.join('\n')}`);
}
forgetTemplates();
console.log(`${names.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
