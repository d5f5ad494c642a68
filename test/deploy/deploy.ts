/**
 * Runs the commands of docs/deploy.md and docs/rotate-and-restore.md on a fresh emulator: deploy, deploy again, rotate secrets and keys, upgrade under traffic, roll back, deploy in a second region, destroy.
 * `npm run test:release -- deploy` prints what it showed, and exits with 1 if something did not hold.
 * `deploy upgrade` runs the parts that most changes can break; `deploy regions` runs the two regions only.
 */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmulator } from '../../lib/local/emulator.ts';
import { type Front, startFront } from '../../lib/local/front.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { commandLine } from './command-line.ts';
import { destroy, destroyWhatIsKept, failFirstDeploy } from './destroy.ts';
import { commandsIn } from './documented-commands.ts';
import { check, firstDeploy, nothingChanges } from './first-deploy.ts';
import type { Ground } from './ground.ts';
import { makeReleases } from './releases.ts';
import { type Report, startReport } from './report.ts';
import { afterOtpRotation, rotateOtpSecret } from './rotate-otp-secret.ts';
import { rotateTokenKey, withdrawOldTokenKey } from './rotate-token-key.ts';
import { twoRegions } from './second-region.ts';
import { surveyOf } from './survey.ts';
import { startWebhookEndpoint } from './traffic.ts';
import { rollBack, upgrade } from './under-traffic.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');
const logFolder = join(localFolder, 'deploy');

async function life(ground: Ground, front: Front): Promise<void> {
  const { part, show } = ground.report;
  const deployed = await part('First deploy', () => firstDeploy(ground, front));
  await part('Second deploy', () => nothingChanges(ground));
  await part('Check of what was deployed', () => check(ground));
  const code = await part('Rotation of the secret of one-time passwords', () =>
    rotateOtpSecret(ground, deployed),
  );
  await part('Upgrade under traffic', () => upgrade(ground, deployed.token));
  await part('One-time passwords after the rotation', () => afterOtpRotation(ground, deployed, code));
  const rotated = await part('Rotation of the token key under traffic', () =>
    rotateTokenKey(ground, deployed),
  );
  await part('Failed deploy under traffic', () => rollBack(ground, deployed.token, rotated.deploy));
  await part('End of the old token key', () => withdrawOldTokenKey(ground, rotated.token));
  await part('Two regions', () => twoRegions(ground, rotated.token));
  await part('Destroy, deploy and destroy', () => destroy(ground));
  const commands = await part('Failed first deploy of a stage that keeps its data', () =>
    failFirstDeploy(ground),
  );
  await part('Destroy of that stage, and its data taken back', () => destroyWhatIsKept(ground, commands));
  // Tests of their own run the restore, doctor and the check; the quick start is run as the message here. The emulator refuses alarms.
  const left = [ground.deployCommands, ground.rotateCommands]
    .flatMap((commands) => commands.left)
    .filter(
      (command) =>
        !/ restore | doctor$|^npm run check -- --stage|set-alarm-state|--name First$|^TOKEN=|^curl | messages list$/.test(
          command,
        ),
    );
  show(left.length === 0, 'every command of these pages was run', left.join());
}

async function upgradeOnly(ground: Ground, front: Front): Promise<void> {
  const { part } = ground.report;
  const deployed = await part('First deploy', () => firstDeploy(ground, front));
  await part('Second deploy', () => nothingChanges(ground));
  await part('Upgrade under traffic', () => upgrade(ground, deployed.token));
  await part('Destroy, deploy and destroy', () => destroy(ground));
}

async function regions(ground: Ground, front: Front): Promise<void> {
  const { part } = ground.report;
  const deployed = await part('First deploy', () => firstDeploy(ground, front));
  await part('Two regions', () => twoRegions(ground, deployed.token));
}

async function run(report: Report, what: (ground: Ground, front: Front) => Promise<void>): Promise<void> {
  await mkdir(logFolder, { recursive: true });
  const { signal } = new AbortController();
  const python = await pythonWithPackages(localFolder, console.log, signal);
  const emulator = await startEmulator({
    python,
    logFile: join(logFolder, 'emulator.log'),
    searchPath: process.env.PATH ?? '',
    preload: { file: join(import.meta.dirname, 'names_by_region.py'), environment: {} },
    signal,
  });
  const front = await startFront(0);
  const webhookEndpoint = await startWebhookEndpoint();
  const releases = await makeReleases();
  const log = createWriteStream(join(logFolder, 'commands.log'));
  try {
    const ground: Ground = {
      report,
      shell: await commandLine(emulator.endpoint, log),
      deployCommands: commandsIn('docs/deploy.md'),
      rotateCommands: commandsIn('docs/rotate-and-restore.md'),
      survey: surveyOf(emulator.endpoint),
      webhookEndpoint,
      endpoint: emulator.endpoint,
      baseUrl: `http://127.0.0.1:${front.port}`,
      releases,
    };
    await what(ground, front);
  } finally {
    webhookEndpoint.close();
    await front.close();
    await emulator.stop();
    await Promise.all(Object.values(releases).map((release) => release.remove()));
  }
}

const report = startReport(console.log);
const [name = 'life'] = process.argv.slice(2);
const runs: Readonly<Record<string, typeof life>> = { life, upgrade: upgradeOnly, regions };
const what = runs[name];
if (what === undefined) throw new Error(`there is no run ${name}: use ${Object.keys(runs).join(', ')}`);
await run(report, what).catch(report.broke);
process.exit(report.end());
