/** The first commands of docs/deploy.md: the gateway works, a second deploy changes nothing, and it is conformant. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { emulatorAccess } from '../../lib/local/emulator.ts';
import type { Front } from '../../lib/local/front.ts';
import { documentClient } from '../../shared/platform/aws/clients.ts';
import { type Deployed, endOf, type Ground, stackName } from './ground.ts';
import { tokenOf } from './traffic.ts';

/** Installs, bootstraps, deploys; then makes the client that all traffic comes from. */
export async function firstDeploy(ground: Ground, front: Front): Promise<Deployed> {
  const { report, shell, deployCommands, survey, endpoint, baseUrl, releases } = ground;
  const { folder } = releases.first;
  const installed = await shell(folder, deployCommands.take(/^npm ci$/));
  report.show(installed.status === 0, 'npm ci', installed.output);
  const bootstrap = await shell(folder, deployCommands.take(/^npx cdk bootstrap/));
  report.show(bootstrap.status === 0, 'cdk bootstrap', endOf(bootstrap.output));
  // This one with the CDK's validation, as a person has it.
  const deployed = await shell(folder, `CDK_VALIDATION=true ${commands(ground).deploy}`);
  report.show(deployed.status === 0, 'cdk deploy makes the stack', endOf(deployed.output));
  const functions = await survey.codeOf(stackName);
  report.show(
    functions.size > 0,
    `${(await survey.resources(stackName)).length} resources, ${functions.size} functions`,
  );
  const { outputs } = deployed;
  front.open({ endpoint, apiId: outputs.ApiId ?? '' });
  const { clientId, clientSecret } = await makeClient(ground);
  await raiseLimits(ground, outputs, clientId);
  return { outputs, clientId, clientSecret, token: await tokenOf(baseUrl, clientId, clientSecret) };
}

const known = new WeakMap<Ground, { readonly deploy: string; readonly createClient: string }>();

/** Commands that the page has once and a platform team runs again and again. */
export function commands(ground: Ground): { readonly deploy: string; readonly createClient: string } {
  const taken = known.get(ground) ?? {
    deploy: ground.deployCommands.take(/^npx cdk deploy$/),
    createClient: ground.deployCommands.take(/ clients create /),
  };
  known.set(ground, taken);
  return taken;
}

/** @param folder - the checkout whose command creates it, with its shell */
export async function makeClient(
  ground: Ground,
  { folder, shell } = { folder: ground.releases.first.folder, shell: ground.shell },
): Promise<{ clientId: string; clientSecret: string }> {
  const { output } = await shell(folder, commands(ground).createClient);
  const [, clientId] = /^client id +(\S+)$/m.exec(output) ?? [];
  const [, clientSecret] = /^client secret +(\S+)$/m.exec(output) ?? [];
  if (clientId === undefined || clientSecret === undefined) throw new Error(`no client: ${output}`);
  return { clientId, clientSecret };
}

/** The traffic is more than a client's default limit. */
async function raiseLimits({ endpoint }: Ground, outputs: Deployed['outputs'], clientId: string) {
  const { region, accessKeyId, secretAccessKey } = emulatorAccess;
  const config = { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
  await documentClient(new DynamoDBClient(config)).send(
    new PutCommand({
      TableName: outputs.LimitOverridesTable,
      Item: {
        client_id: clientId,
        endpoint: 'POST /api/v1/sms/send',
        per_minute: 10_000,
        per_hour: 100_000,
        per_day: 100_000,
      },
    }),
  );
}

export async function nothingChanges(ground: Ground): Promise<void> {
  const { report, shell, deployCommands, releases } = ground;
  const again = await shell(releases.first.folder, commands(ground).deploy);
  report.show(
    again.status === 0 && again.output.includes('(no changes)'),
    'a second deploy changes nothing',
    endOf(again.output),
  );
  const diff = await shell(releases.first.folder, deployCommands.take(/^npx cdk diff/));
  report.show(diff.status === 0 && /differences: 0/.test(diff.output), 'cdk diff is empty', diff.output);
}

/** The program by which anyone checks a gateway after a deploy, with a client of its own. */
export async function check(ground: Ground): Promise<void> {
  const { report, shell, deployCommands, baseUrl, releases } = ground;
  const { clientId, clientSecret } = await makeClient(ground);
  const ran = await shell(releases.first.folder, deployCommands.take(/^npm run check -- --url/), {
    'https://example.execute-api.eu-west-1.amazonaws.com/live': baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  });
  const total = /^(\d+) of (\d+) checks passed$/m.exec(ran.output);
  report.show(
    ran.status === 0 && total !== null && total[1] === total[2] && Number(total[1]) > 0,
    `check: ${total?.[0] ?? 'it did not come to its end'}`,
    endOf(ran.output),
  );
}
