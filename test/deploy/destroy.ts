/** The end of a stack: nothing is left of a trial, and all data is left of a stage that keeps it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { emulatorAccess } from '../../lib/local/emulator.ts';
import { documentClient } from '../../shared/platform/aws/clients.ts';
import { commands } from './first-deploy.ts';
import { describe, endOf, type Ground, keptStackName, stackName } from './ground.ts';

/** Twice, with a deploy between: the second finds nothing of the first in its way. */
export async function destroy(ground: Ground): Promise<void> {
  const { report, shell, deployCommands, releases } = ground;
  const command = deployCommands.take(/^npx cdk destroy$/);
  await destroyOnce(ground, command);
  const again = await shell(releases.next.folder, commands(ground).deploy);
  report.show(again.status === 0, 'cdk deploy after the destroy makes it anew', endOf(again.output));
  await destroyOnce(ground, command);
}

async function destroyOnce({ report, shell, survey, releases }: Ground, command: string): Promise<void> {
  const resources = await survey.resources(stackName);
  const begun = new Date();
  const destroyed = await shell(releases.next.folder, command);
  report.show(destroyed.status === 0, 'cdk destroy', endOf(destroyed.output));
  report.show((await survey.stackStatus(stackName)) === 'gone', 'the stack is gone');
  // A run of a function that ends after its log group is deleted makes it anew, on AWS as well.
  const left = await survey.standing(resources, begun);
  report.show(left.length === 0, `nothing is left of its ${resources.length} resources`, describe(left));
}

/** The account uses this role too: without it every API of the account would stop logging. */
const accountsLogRole = /^AWS::IAM::Role .*RestCloudWatchRole/;
const keeps = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup'];

/** The stage `production`, but for what the emulator has not: its first deploy fails, and tables are left of it. */
export async function failFirstDeploy(ground: Ground): Promise<{ unprotect: string; takeBack: string }> {
  const { report, shell, deployCommands, survey, releases } = ground;
  const deploy = deployCommands.take(/^npx cdk deploy -c stage=production/);
  const takeBack = deployCommands.take(/^npx cdk deploy -c stage=production .*--import-existing-resources$/);
  const copies = [/^cp lib\/stages\/countries-sample.json /, /^cp lib\/stages\/settings-sample.json /].map(
    (copy) => deployCommands.take(copy),
  );
  for (const { folder } of [releases.broken, releases.next])
    for (const copy of copies) await shell(folder, copy);
  const failed = await shell(releases.broken.folder, deploy);
  const status = await survey.stackStatus(keptStackName);
  report.show(
    failed.status !== 0 && /^ROLLBACK/.test(status),
    `a first deploy that cannot succeed leaves the stack in ${status}`,
    endOf(failed.output),
  );
  const unprotect = deployCommands.take(/^aws cloudformation update-termination-protection /);
  const unprotected = await shell(releases.next.folder, unprotect);
  report.show(unprotected.status === 0, unprotect, endOf(unprotected.output));
  const deployed = await shell(releases.next.folder, takeBack);
  report.show(
    deployed.status === 0,
    'cdk deploy -c stage=production --import-existing-resources takes over what was left',
    endOf(deployed.output),
  );
  return { unprotect, takeBack };
}

/** Destroys that stage, and deploys it again with the rows that it had. */
export async function destroyWhatIsKept(
  ground: Ground,
  { unprotect, takeBack }: { unprotect: string; takeBack: string },
): Promise<void> {
  const { report, shell, deployCommands, survey, releases } = ground;
  const { folder } = releases.next;
  const row = await writeRow(ground);
  const resources = await survey.resources(keptStackName);
  const destroy = deployCommands.take(/^npx cdk destroy -c stage=production/);
  const refused = await shell(folder, destroy);
  report.show(
    refused.status !== 0 && (await survey.stackStatus(keptStackName)).endsWith('_COMPLETE'),
    'cdk destroy is refused as long as the stack is protected',
    endOf(refused.output),
  );
  const unprotected = await shell(folder, unprotect);
  report.show(unprotected.status === 0, 'its protection is removed', endOf(unprotected.output));
  const destroyed = await shell(folder, destroy);
  report.show(destroyed.status === 0, 'cdk destroy', endOf(destroyed.output));
  const left = await survey.standing(resources);
  for (const type of keeps) {
    const [all, still] = [resources, left].map((list) => list.filter((one) => one.type === type).length);
    report.show(all === still && all !== 0, `${still} of ${all} ${type} stay`);
  }
  const others = left.filter((one) => !keeps.includes(one.type) && !accountsLogRole.test(describe([one])));
  report.show(
    others.length === 0,
    `nothing else stays of its ${resources.length} resources, but API Gateway's log role`,
    describe(others),
  );
  const deployed = await shell(folder, takeBack);
  report.show(deployed.status === 0, 'the same deploy after the destroy', endOf(deployed.output));
  const tables = (await survey.resources(keptStackName)).filter(({ type }) => type === keeps[0]);
  const before = new Set(resources.map(({ id }) => id));
  report.show(
    tables.length > 0 && tables.every(({ id }) => before.has(id)),
    `its ${tables.length} tables are those of before`,
    describe(tables),
  );
  report.show(await row.isThere(), 'a row of before is still there');
}

async function writeRow({ endpoint }: Ground): Promise<{ isThere(): Promise<boolean> }> {
  const { region, accessKeyId, secretAccessKey } = emulatorAccess;
  const dynamo = documentClient(
    new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } }),
  );
  const TableName = `${keptStackName}-limit-overrides`;
  const Key = { client_id: 'kept', endpoint: 'POST /api/v1/sms/send' };
  await dynamo.send(new PutCommand({ TableName, Item: { ...Key, per_minute: 61 } }));
  return {
    isThere: async () => (await dynamo.send(new GetCommand({ TableName, Key }))).Item?.per_minute === 61,
  };
}
