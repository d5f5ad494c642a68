/** `doctor` without a client, on the deployed tables; the emulator's deployment leaves out recovery and the deletion of rows. */
import { DynamoDBClient, UpdateContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { clientConfig, eventually, gateway } from '../../support/gateway/gateway.ts';

let shell: AdminShell;
const dynamo = new DynamoDBClient(clientConfig());
beforeAll(() => {
  shell = adminShell();
});
afterAll(() => {
  shell.close();
  dynamo.destroy();
});

/** It asks for every table at once; where a busy machine lets one of these calls take too long, it is run again. */
function problems(): Promise<readonly string[]> {
  return eventually(async () => {
    const { stdout, stderr } = await shell.run('doctor', '--json');
    if (stdout === '') {
      console.warn(stderr);
      return undefined;
    }
    const { findings } = JSON.parse(stdout) as { findings: { table: string; problem: string }[] };
    return findings.map(({ table, problem }) => `${table}: ${problem}`);
  });
}

it('a table without recovery is named until its recovery is turned on, and no stream is missing', async () => {
  const TableName = gateway().tables.otp_holds;
  const problem = `${TableName}: it has no point-in-time recovery`;
  const found = await problems();
  expect(found).toContain(problem);
  expect(found.filter((text) => /stream|exist|it is/.test(text))).toEqual([]);
  await dynamo.send(
    new UpdateContinuousBackupsCommand({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  expect(await problems()).not.toContain(problem);
});
