/** How long a bundle takes to start, in CPU time: on a quiet machine the same as time, on a busy one still the same. */
import { spawnSync } from 'node:child_process';
import { functionEnvironment } from './function-environment.ts';

/** As Lambda's runtime loads it; whatever the module prints is not the figure. */
export function startMs(file: string): number {
  const load = `const start = process.cpuUsage(); require(${JSON.stringify(file)});`;
  const tell = `setImmediate(() => { const { user, system } = process.cpuUsage(start); process.stderr.write('\\n' + (user + system) / 1000); });`;
  const env = {
    ...functionEnvironment,
    // As in production: the carriers' own clients.
    SMS_CARRIER: 'aws',
    WHATSAPP_CARRIER: 'aws',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
  const child = spawnSync(process.execPath, ['-e', load + tell], { env, encoding: 'utf8' });
  const ms = Number(child.stderr.split('\n').at(-1));
  if (child.status !== 0 || !(ms > 0)) throw new Error(`${file} does not start: ${child.stderr}`);
  return ms;
}
