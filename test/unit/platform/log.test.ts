import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { log } from '../../../shared/platform/log.ts';

const number = '+447700900123';
let written = '';
beforeEach(() => {
  written = '';
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  }
});
afterEach(() => {
  jest.restoreAllMocks();
});

it('an error is logged without the rows that DynamoDB adds to it, and without the numbers that a text quotes', () => {
  const canceled = new TransactionCanceledException({
    message: `Transaction cancelled for ${number}`,
    $metadata: { requestId: 'request-1' },
    CancellationReasons: [
      { Code: 'ConditionalCheckFailed', Item: { recipient: { S: number }, body: { S: 'Hi' } } },
    ],
  });
  const cause = Object.assign(new Error(`refused 447700900123`), {
    code: 'ECONNRESET',
    Item: { recipient: number },
  });
  log.error('failed', { error: new Error(`no ${number}`, { cause }), cause: canceled });
  expect(written).not.toContain('7700900123');
  expect(written).not.toContain('Hi');
  for (const kept of [
    'TransactionCanceledException',
    'Transaction cancelled for',
    'request-1',
    'ECONNRESET',
    'log.test',
  ])
    expect(written).toContain(kept);
});

it('a line has the level, the time and the service first', () => {
  log.info('kept', { client_id: 'client_1', absent: undefined });
  expect(written).toMatch(
    /^\{"level":"INFO","message":"kept","timestamp":"[^"]+Z","service":"messaging-gateway","client_id":"client_1"\}\n$/,
  );
});

it('a line with a field that has no text is written without its fields, and stops no work', () => {
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  for (const field of [endless, 1n]) log.warn('kept', { field });
  expect(written).toMatch(/^(\{"level":"WARN","message":"kept",[^\n]*\}\n){2}$/);
});
