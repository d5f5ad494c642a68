/** A count of a cap that a person made a text, or NULL, in the console is full, and never an error; one without a limit stops nothing. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import { capWindowsAt } from '../../../shared/limit/cap-limits.ts';
import { capCounterKey } from '../../../shared/limit/take-from-caps.ts';
import { capProcess, usedOf } from '../../support/cap/caps.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { created as now } from '../../support/message/example-message.ts';

const client = 'client-a';

async function withEdited(caps: StageCaps, attribute: string, value: unknown) {
  const tables = inMemoryTables();
  const { allowanceOf, warnings } = capProcess(tables, () => caps);
  const allowance = async () => {
    const found = await allowanceOf(client, { now });
    if (found === undefined) throw new Error('no cap applies');
    return found;
  };
  const outcome = async (act: 'take' | 'check', messages = 1) =>
    (await allowance())
      [act](Array.from({ length: messages }, () => ({ channel: 'sms', country: 'GB' })))
      .then(
        () => 'accepted',
        (error: unknown) =>
          error instanceof GatewayError ? `${error.code}: ${error.message}` : String(error),
      );
  await outcome('take');
  await tables.dynamo.send(
    new UpdateCommand({
      TableName: tables.names.rate_counters,
      Key: { counter: capCounterKey(client, capWindowsAt(now)) },
      UpdateExpression: 'SET #attribute = :value',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':value': value },
    }),
  );
  return { allowance, outcome, warnings, used: () => usedOf(tables, client, now, caps) };
}

const refusals = {
  messages: 'message_limit_reached: The limit of 10 messages per month is reached',
  spend: 'spend_limit_reached: The limit of 10 EUR per month is reached',
};

it.each([
  ['messages', '4'],
  ['spend', '4'],
  ['messages', null],
  ['spend', null],
] as const)('%s of the month are full with the count %j', async (cap, count) => {
  const refusal = refusals[cap];
  const { outcome, warnings, used } = await withEdited({ [cap]: { perMonth: 10 } }, `${cap}_month`, count);
  expect(await outcome('take')).toMatch(`${refusal}.`);
  expect(await outcome('check')).toMatch(`${refusal}.`);
  expect(await outcome('take', 3)).toMatch(`${refusal}: 0 of the 3 recipients would have fitted.`);
  expect(await used()).toEqual({ [`${cap} month`]: 10 });
  expect(warnings).toEqual([]);
});

it('a count without a limit stops nothing, and the others go on', async () => {
  const caps = { messages: { perMonth: 3 } };
  const { allowance, outcome, warnings, used } = await withEdited(caps, 'spend_month', 'much');
  const given = await allowance();
  await given.take([{ channel: 'sms', country: 'GB' }]);
  await given.giveBack();
  expect([await outcome('take'), await outcome('take')]).toEqual(['accepted', 'accepted']);
  expect(await outcome('take')).toMatch('message_limit_reached');
  expect(await used()).toEqual({ 'messages month': 3 });
  expect(warnings).toEqual([]);
});
