/** The package loads in each module system, and its types are strict with the oldest and the newest peers that it names. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testedPeers } from '../../lib/build/package/package-construct.ts';
import type { Steps } from '../clients/steps.ts';
import { at, run } from '../clients/tools.ts';
import type { Projects } from './projects.ts';

const program = `
import { App, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { MessagingGateway, type MessagingGatewayProps } from 'messaging-gateway';

const stack = new Stack(new App(), 'Platform');
const props: MessagingGatewayProps = { alarms: true, retentionDays: 14 };
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
        /Usage: npx messaging-gateway-admin [\s\S]*npx messaging-gateway-admin clients create/,
      );
      assert.doesNotMatch(help, /npm run/);
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
