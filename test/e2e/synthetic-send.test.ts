/** The function of synthetic sends, as a process of its own, before the deployed gateway. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { documentClient, gateway } from '../support/gateway/gateway.ts';

const root = join(import.meta.dirname, '..', '..');

type Line = Readonly<Record<string, unknown>>;

/** Runs it twice in one process, and returns the lines of its log. */
async function runTwice(baseUrl: string): Promise<readonly Line[]> {
  const { aws, tables } = gateway();
  const program =
    "const { handler } = await import('./functions/synthetic-send.ts'); await handler(); await handler();";
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        SERVICE_NAME: 'the-stack',
        CLIENTS_TABLE: tables.clients,
        TOKEN_ISSUER: baseUrl,
        SMS_CARRIER: 'simulator',
        AWS_REGION: aws.region,
        AWS_ENDPOINT_URL: aws.endpoint,
        AWS_ACCESS_KEY_ID: aws.access_key_id,
        AWS_SECRET_ACCESS_KEY: aws.secret_access_key,
      },
    },
  );
  // Errors are logged on the other stream.
  return `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

const metric = (lines: readonly Line[], name: string) => lines.flatMap((line) => line[name] ?? []);

it('sends with a test secret of a client that it makes, and counts that and when it was delivered', async () => {
  const { base_url, tables } = gateway();
  const lines = await runTwice(base_url);
  expect(lines.filter(({ reason }) => reason !== undefined)).toEqual([]);
  expect(lines.filter(({ message }) => message === 'synthetic send')).toMatchObject([
    { outcome: 'delivered', message_id: expect.stringMatching(/^msg_/), delivery_ms: expect.any(Number) },
    { outcome: 'delivered', hand_over_ms: expect.any(Number) },
  ]);
  expect(metric(lines, 'SyntheticSendFailed')).toEqual([0, 0]);
  const Key = { client_id: 'client_synthetic' };
  const { Item } = await documentClient().send(new GetCommand({ TableName: tables.clients, Key }));
  // No live secret of it exists, and nothing outside the process knows the test secret.
  expect(Item).toMatchObject({ secrets: [], scopes: ['messages'], countries: ['GB'] });
  expect(Item?.test_secrets).toHaveLength(1);
});

it('counts a failure where the gateway cannot be reached, and ends without an error', async () => {
  const lines = await runTwice('http://127.0.0.1:9');
  expect(metric(lines, 'SyntheticSendFailed')).toEqual([1, 1]);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'ERROR', reason: expect.stringContaining('fetch failed') }),
  );
});
