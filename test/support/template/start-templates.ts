/** Starts to synthesize the templates that the test files of one run share; each waits for those that it reads. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployments, enterpriseDeployments } from './deployments.ts';
import { markBegun, placeOf, synthesizer } from './stage-templates.ts';

declare global {
  var templatesOfRun:
    | {
        readonly folder: string;
        readonly synthesis: ChildProcess;
        /** True if the caller chose the folder, so that it can read the templates after the run. */
        readonly isKept: boolean;
      }
    | undefined;
}

export default function start(): void {
  const given = process.env.TEMPLATES_FOLDER;
  const folder = given ?? mkdtempSync(join(tmpdir(), 'messaging-gateway-templates-'));
  process.env.TEMPLATES_FOLDER = folder;
  markBegun(folder);
  // Those of enterprises last: one file has them. A second process would compile the CDK's validation again.
  const names = [...Object.keys(deployments), ...Object.keys(enterpriseDeployments)];
  const synthesis = spawn(process.execPath, [synthesizer, folder, ...names], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Of one that is killed by the system, too: the tests are told instead of waiting.
  synthesis.once('exit', (status, signal) => {
    for (const name of names) {
      const { complete, fault } = placeOf(folder, name);
      if (!existsSync(complete) && !existsSync(fault))
        writeFileSync(fault, `the synthesis ended with ${status ?? signal}`);
    }
  });
  globalThis.templatesOfRun = { folder, synthesis, isKept: given !== undefined };
}
