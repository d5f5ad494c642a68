/**
 * The package loads in each module system and on the oldest Node that it names, and its types are strict with the oldest and
 * the newest peers. What its texts tell a person to use is there.
 */
import assert from 'node:assert/strict';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { oldestNode, testedPeers } from '../../lib/build/package/package-construct.ts';
import type { Steps } from '../clients/steps.ts';
import { at, root, run } from '../clients/tools.ts';
import type { Projects } from './projects.ts';

const program = `
import { App, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { MessagingGateway, type MessagingGatewayProps } from 'messaging-gateway';

const stack = new Stack(new App(), 'Platform');
const props: MessagingGatewayProps = { alarms: {}, retentionDays: 14 };
const gateway = new MessagingGateway(stack, 'Messaging', props);
gateway.grantAdmin(new Role(stack, 'Admin', { assumedBy: new AccountRootPrincipal() }));
gateway.addAlarmAction(new SnsAction(new Topic(stack, 'Alarms')));
const names: string[] = [gateway.tables.messages.tableName, gateway.queues.webhooks.queueUrl, gateway.url];
console.log(names.length, gateway.api.restApiId, gateway.metricSends().period, gateway.receiptsTopic?.topicArn);
// @ts-expect-error: a setting that there is none of.
export const misspelled: MessagingGatewayProps = { retentoinDays: 14 };
`;

const scripts = {
  'loads.mjs': "import { MessagingGateway } from 'messaging-gateway';\n",
  'loads.cjs': "const { MessagingGateway } = require('messaging-gateway');\n",
};

export async function loadSteps(
  { step }: Steps,
  projects: Projects,
  newest: readonly string[],
): Promise<void> {
  const oldest = Object.entries(testedPeers).map(([name, range]) => `${name}@${range.slice(1)}`);
  for (const [peers, compilers] of [
    [newest, ['7.0.2', '5.9.3']],
    [oldest, ['5.9.3']],
  ] as const)
    await step(`construct: loads and is typed, with ${peers.join(' and ')}`, async () => {
      const folder = await projects.make(...peers, '@types/node@24.19.2');
      for (const [file, load] of Object.entries(scripts)) {
        await writeFile(join(folder, file), `${load}console.log(MessagingGateway.name);\n`);
        assert.equal((await run('node', [file], at(folder))).stdout, 'MessagingGateway\n');
      }
      const { stdout: help } = await run('npx', ['messaging-gateway-admin', '--help'], at(folder));
      assert.match(
        help,
        /Usage: npx messaging-gateway-admin [\s\S]*npx messaging-gateway-admin call createClient/,
      );
      assert.doesNotMatch(help, /npm/);
      await assertNamesWhatIsThere(folder);
      for (const version of compilers) {
        await run('npm', ['install', '--no-audit', '--no-fund', `typescript@${version}`], at(folder));
        for (const file of ['program.mts', 'program.cts']) {
          await writeFile(join(folder, file), program);
          // The CDK's own declarations have errors with exactOptionalPropertyTypes.
          const strict = ['--strict', '--skipLibCheck', 'false', '--target', 'es2022'];
          await run('npx', ['tsc', '--module', 'nodenext', ...strict, '--types', 'node', file], at(folder));
        }
      }
      for (const file of ['program.mjs', 'program.cjs']) await run('node', [file], at(folder));
    });
}

/** Synthesizes a sample as an older machine does, whose Node runs no TypeScript. */
export async function oldestNodeStep({ step, counts }: Steps, projects: Projects): Promise<void> {
  const name = `construct: the sample of a gateway is synthesized by Node ${oldestNode}, and the command runs`;
  const isPublished = await run('npm', ['view', `node@${oldestNode}`, 'version'], at(root)).then(
    ({ stdout }) => stdout.trim() === oldestNode,
    () => false,
  );
  if (!isPublished) {
    counts.skipped += 1;
    console.log(`SKIPPED  ${name}: the registry of npm does not have it`);
    return;
  }
  await step(name, async () => {
    const compilers = ['typescript@5.9.3', '@types/node@24.19.2'];
    const folder = await projects.copy('gateway', `node@${oldestNode}`, ...compilers);
    const npx = async (...words: string[]) => (await run('npx', words, at(folder))).stdout;
    assert.equal(await npx('node', '--version'), `v${oldestNode}\n`);
    await npx('tsc', '--module', 'nodenext', '--target', 'es2022', '--strict', '--types', 'node', 'app.ts');
    await npx('cdk', 'synth', '--quiet', '--app', 'node app.js');
    const template = await readFile(join(folder, 'cdk.out/PlatformMessaging.template.json'), 'utf8');
    assert.match(template, /"AWS::ApiGateway::RestApi"/);
    assert.match(await npx('messaging-gateway-admin', '--help'), /clients/);
  });
}

const refused = `
const { App, Stack } = require('aws-cdk-lib');
const { MessagingGateway } = require('messaging-gateway');
new MessagingGateway(new Stack(new App(), 'Refused'), 'Messaging', { stage: 'production' });
`;

/** Reads the sample that an error names. */
async function assertNamesWhatIsThere(folder: string): Promise<void> {
  await writeFile(join(folder, 'refused.cjs'), refused);
  const { stderr } = await run('node', ['refused.cjs'], at(folder)).catch((error) => error);
  const [, sample = 'no file'] = /a JSON file such as (\S+)/.exec(stderr) ?? [];
  await access(join(folder, sample));
}
