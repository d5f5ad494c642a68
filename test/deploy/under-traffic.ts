/** Deploys while messages are sent: an upgrade and one that fails, with every message accounted for. */
import { setTimeout as pause } from 'node:timers/promises';
import { commands } from './first-deploy.ts';
import { endOf, type Ground, stackName } from './ground.ts';
import { nextRelease } from './releases.ts';
import { startTraffic, withoutWebhooks } from './traffic.ts';

const sendEveryMs = 300;
const webhooksQuietSeconds = 120;

/** Runs a deploy while messages are sent, and accounts for every one of them. */
export async function underTraffic(
  ground: Ground,
  token: string,
  deploy: () => Promise<void>,
): Promise<void> {
  const { report, webhookEndpoint, baseUrl } = ground;
  const traffic = startTraffic(baseUrl, token, webhookEndpoint.url, sendEveryMs);
  await pause(1500);
  const before = traffic.taken.length;
  await deploy();
  const during = traffic.taken.length - before;
  await pause(1500);
  await traffic.end();
  report.show(
    traffic.refused.length === 0,
    `${traffic.taken.length} messages taken (${before} before, ${during} while it was deployed), none refused, ${traffic.repeated.length} requests repeated under their key`,
    `${traffic.refused.length} refused: ${[...new Set(traffic.refused)].slice(0, 5).join('; ')}`,
  );
  if (traffic.repeated.length > 0)
    report.remark(`repeated upon: ${[...new Set(traffic.repeated)].slice(0, 3).join('; ')}`);
  await showWebhooks(ground, traffic.taken);
}

export async function showWebhooks(
  { report, webhookEndpoint }: Ground,
  taken: readonly string[],
): Promise<void> {
  const missing = await withoutWebhooks(webhookEndpoint, taken, webhooksQuietSeconds);
  const twice = taken.filter((id) => (webhookEndpoint.events.get(id)?.length ?? 0) > 2).length;
  report.show(
    missing.length === 0,
    `each of ${taken.length} was sent and delivered, and both of its webhooks came (${twice} came twice)`,
    `${missing.length} lack a webhook: ${missing.slice(0, 5).join()}`,
  );
}

export async function upgrade(ground: Ground, token: string): Promise<void> {
  const { report, shell, survey, webhookEndpoint, releases } = ground;
  const before = await survey.codeOf(stackName);
  const sofar = new Set(webhookEndpoint.events.keys());
  await underTraffic(ground, token, async () => {
    const upgraded = await shell(releases.next.folder, commands(ground).deploy);
    report.show(upgraded.status === 0, 'cdk deploy of the next release', endOf(upgraded.output));
  });
  const after = await survey.codeOf(stackName);
  const changed = [...after].filter(([name, code]) => before.get(name) !== code).length;
  report.show(
    changed === before.size && after.size === before.size,
    `new code in ${changed} of ${before.size} functions`,
  );
  const agents = new Set(
    [...webhookEndpoint.events]
      .filter(([id]) => !sofar.has(id))
      .flatMap(([, events]) => events.map((e) => e.userAgent)),
  );
  report.show(
    [...agents].some((agent) => agent.includes(nextRelease)),
    `webhooks came from ${[...agents].sort().join(' and then ')}`,
  );
}

/** @param deploy - the command by which the stack has the settings that it has now */
export async function rollBack(ground: Ground, token: string, deploy: string): Promise<void> {
  const { report, shell, survey, releases } = ground;
  const before = await survey.codeOf(stackName);
  await underTraffic(ground, token, async () => {
    const ran = await shell(releases.broken.folder, deploy);
    report.show(ran.status !== 0, 'a deploy that cannot succeed ends with an error', endOf(ran.output));
  });
  const status = await survey.stackStatus(stackName);
  report.show(status === 'UPDATE_ROLLBACK_COMPLETE', `the stack is in ${status}`);
  const after = await survey.codeOf(stackName);
  const same = [...before].filter(([name, code]) => after.get(name) === code).length;
  report.show(same === before.size, `the code of ${same} of ${before.size} functions is what it was`);
}
