/** The end of a stack: nothing is left of a trial, and all data is left of a stage that keeps it. */
import { describe, endOf, type Ground, keptStackName, stackName } from './ground.ts';

export async function destroy({ report, shell, deployCommands, survey, releases }: Ground): Promise<void> {
  const resources = await survey.resources(stackName);
  const destroyed = await shell(releases.next.folder, deployCommands.take(/^npx cdk destroy$/));
  report.show(destroyed.status === 0, 'cdk destroy', endOf(destroyed.output));
  report.show((await survey.stackStatus(stackName)) === 'gone', 'the stack is gone');
  const left = await survey.standing(resources);
  report.show(left.length === 0, `nothing is left of its ${resources.length} resources`, describe(left));
}

/** Of the account as much as of the stack: without it every API of the account would stop logging. */
const accountsLogRole = /^AWS::IAM::Role .*RestCloudWatchRole/;
const keeps = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup'];

/** The stage `production`, but for what the emulator has not. */
export async function destroyWhatIsKept(ground: Ground): Promise<void> {
  const { report, shell, deployCommands, survey, releases } = ground;
  const { folder } = releases.next;
  const deployed = await shell(folder, deployCommands.take(/^npx cdk deploy -c stage=production/));
  report.show(deployed.status === 0, 'cdk deploy -c stage=production …', endOf(deployed.output));
  const resources = await survey.resources(keptStackName);
  const destroy = deployCommands.take(/^npx cdk destroy -c stage=production/);
  const refused = await shell(folder, destroy);
  report.show(
    refused.status !== 0 && (await survey.stackStatus(keptStackName)) === 'CREATE_COMPLETE',
    'cdk destroy is refused as long as the stack is protected',
    endOf(refused.output),
  );
  const unprotect = deployCommands.take(/-c terminationProtection=false/);
  const unprotected = await shell(folder, unprotect);
  report.show(unprotected.status === 0, 'a deploy takes the protection back', endOf(unprotected.output));
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
}
