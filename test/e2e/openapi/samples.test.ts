/** The examples of the API reference and the commands of the quick start, run against the gateway that serves them. */
import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { operationIdOf } from '../../../lib/build/openapi/document.ts';
import { type OperationName, operations } from '../../../lib/build/openapi/operations.ts';
import { followQuickStart } from '../../support/docs/quick-start.ts';
import { statusesOfSamples } from '../../support/docs/samples.ts';
import { newClient, withTestKey } from '../../support/http/client.ts';

it('every operation accepts its example', async () => {
  const statuses = await statusesOfSamples();
  const names = (Object.keys(operations) as OperationName[]).map(operationIdOf);
  expect(Object.keys(statuses).toSorted()).toEqual(names.toSorted());
  expect(Object.entries(statuses).filter(([, status]) => status < 200 || status > 299)).toEqual([]);
});

/** Node and Python are what the gateway itself needs; Go runs where a machine has it. */
const languages = (['Node', 'Python', 'Go'] as const).filter(
  (language) => language !== 'Go' || spawnSync('go', ['version']).status === 0,
);

it.each(languages)(
  'the quick start ends with verified webhooks of the messages by curl and by %s',
  async (language) => {
    const { status, lines } = await followQuickStart(
      await withTestKey(await newClient({ name: 'Quick start', limits: 'default' })),
      language,
    );
    expect(status).toMatchObject({ mode: 'test', status: 'delivered', recipient: '+447700900123' });
    expect(lines.map((line) => line.split(' ')[1]).toSorted()).toEqual([
      'sms.delivered',
      'sms.delivered',
      'sms.sent',
      'sms.sent',
    ]);
  },
);
