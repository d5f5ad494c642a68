/**
 * The package `messaging-gateway`, packed, in empty folders: `npm run test:release -- construct [parts of the names of steps,
 * with commas between]`. Packages are fetched from npm. Ends with 0 where every step has passed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testedPeers } from '../../lib/build/package/package-construct.ts';
import { stepsNamed } from '../clients/steps.ts';
import { root } from '../clients/tools.ts';
import { emulatorSteps } from './emulator.ts';
import { loadSteps, oldestNodeStep } from './load.ts';
import { packedProjects } from './projects.ts';

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The version of this project. */
const own = (name: string): string => `${name}@${devDependencies[name]}`;
const newest = Object.keys(testedPeers).map(own);

const steps = stepsNamed(process.argv[2] ?? '');
const projects = await packedProjects();
try {
  await loadSteps(steps, projects, newest);
  await oldestNodeStep(steps, projects);
  await emulatorSteps(steps, projects, [...newest, own('aws-cdk')]);
} finally {
  await projects.removeAll();
}
const { passed, failed } = steps.counts;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
