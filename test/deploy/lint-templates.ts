/**
 * cfn-lint on the template of every stage, and of production with each setting of enterprises alone:
 * `npm run test:all -- templates`. Exits with 1 on any finding.
 */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
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
const names = [...Object.keys(deployments), ...Object.keys(enterpriseDeployments)];
let failed = 0;
for (const name of names) {
  const { file } = synthesized(name);
  try {
    const ignored = name === 'local' ? [ignoredAlways, ignoredLocally] : [ignoredAlways];
    await promisify(execFile)(python, [lint, '--ignore-checks', ...ignored, '--', file], {
      timeout: 300_000,
    });
    console.log(`${name}: no findings`);
  } catch (error) {
    failed += 1;
    console.log(`${name}:\n${(error as { stdout?: string }).stdout || String(error)}`);
  }
}
forgetTemplates();
console.log(`${names.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
