/** How a shell finds the deployed gateway that it means, whatever name and settings it was deployed with. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../bin/admin/program.ts';
import { publishedSettings } from '../../../lib/constructs/stack-outputs.ts';
import { stages } from '../../../lib/stages/stages.ts';
import { tableShapes } from '../../../shared/contract/tables.ts';
import { gateway } from '../../support/gateway/gateway.ts';
import { type LocalServer, startServer } from '../../support/http/local-server.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'admin.ts');

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Stacks = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a gateway of that stage publishes. */
function published(stackName: string, stage: string): Record<string, string> {
  const tables = Object.keys(tableShapes).map((name) =>
    name.replaceAll(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase()),
  );
  return {
    ...publishedSettings(stages.production),
    GatewayStage: stage,
    WebhooksQueue: 'http://127.0.0.1:9/webhooks',
    WebhookRetriesQueue: 'http://127.0.0.1:9/slow',
    ReceiptsQueue: 'http://127.0.0.1:9/receipts',
    ...Object.fromEntries(tables.map((table) => [`${table}Table`, `${stackName}-${table}`])),
  };
}

let server: LocalServer;
let stacks: Stacks = {};
let scanned: string[] = [];

/** CloudFormation, and a DynamoDB whose tables are empty. */
beforeAll(async () => {
  server = await startServer(async (request, response) => {
    const body = await text(request);
    if (String(request.headers['x-amz-target']).startsWith('DynamoDB')) {
      scanned.push((JSON.parse(body) as { TableName: string }).TableName);
      response.setHeader('Content-Type', 'application/x-amz-json-1.0');
      response.end('{"Items":[],"Count":0}');
      return;
    }
    const wanted = new URLSearchParams(body).get('StackName');
    const found = Object.entries(stacks).filter(([name]) => wanted === null || name === wanted);
    response.setHeader('Content-Type', 'text/xml');
    if (wanted !== null && found.length === 0) {
      response.statusCode = 400;
      response.end(
        `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${wanted} does not exist</Message></Error></ErrorResponse>`,
      );
      return;
    }
    response.end(
      `<DescribeStacksResponse><DescribeStacksResult><Stacks>${found.map(member).join('')}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    );
  });
});
afterAll(() => server.close());
beforeEach(() => {
  scanned = [];
});

function member([name, outputs]: [string, Readonly<Record<string, string>>]): string {
  const each = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<member><StackName>${name}</StackName><CreationTime>2026-11-20T10:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${each.join('')}</Outputs></member>`;
}

/** With nothing of the caller's configuration; a variable that is undefined is not set. */
function environment(given: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  const all = {
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_ENDPOINT_URL: server.url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-west-1',
    ...given,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** In this process, which calls no other address than this server: a process of its own takes nearly a second. */
async function admin(
  words: readonly string[],
  given: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, environment(given));
  let [stdout, stderr] = ['', ''];
  const status = await runCommand(words, {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
  });
  return { status, stdout, stderr };
}

/** In a process of its own, as a person runs it. */
function adminProgram(words: readonly string[], given: Readonly<Record<string, string>>): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...environment(given) };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('npm run admin --stage', () => {
  it('finds the gateway of a stage under whatever name its stack has, and no other stack', async () => {
    stacks = {
      network: { Vpc: 'vpc-1' },
      'messaging-gateway-dev': published('messaging-gateway-dev', 'dev'),
      'shop-messages': published('shop-messages', 'production'),
    };
    const { status, stderr } = await admin(['--stage', 'production', 'call', 'listClients']);
    expect([status, stderr]).toEqual([0, '']);
    expect(scanned).toEqual(['shop-messages-Clients']);
  });

  it('asks which is meant where several are of that stage, and takes it by its name', async () => {
    stacks = { 'shop-a': published('shop-a', 'production'), 'shop-b': published('shop-b', 'production') };
    expect(await admin(['--stage', 'production', 'call', 'listClients'])).toMatchObject({
      status: 1,
      stderr:
        'Stage production has several gateways: shop-a (production), shop-b (production). Name one with --stack-name.\n',
    });
    for (const option of ['--stack-name', '--stage']) {
      scanned = [];
      expect(await admin([option, 'shop-b', 'call', 'listClients'])).toMatchObject({ status: 0 });
      expect(scanned).toEqual(['shop-b-Clients']);
    }
  });

  it('says so where another version is deployed, whose settings are written in another way', async () => {
    stacks = { shop: { ...published('shop', 'production'), WebhookPorts: '80,443' } };
    expect(await admin(['--stage', 'production', 'call', 'listClients'])).toMatchObject({
      status: 1,
      stderr:
        'Another version is deployed (environment variable missing or malformed: WEBHOOK_PORTS): deploy this version first.\n',
    });
  });

  it.each([undefined, ''])('says what to set where the region is %j', async (AWS_REGION) => {
    expect(await admin(['--stage', 'production', 'call', 'listClients'], { AWS_REGION })).toMatchObject({
      status: 1,
      stderr: 'No AWS region is set: name it in AWS_REGION, or in the profile that AWS_PROFILE names.\n',
    });
  });

  it('finds the gateway that the CDK deployed to the emulator', async () => {
    const { aws } = gateway();
    const { status, stderr } = await adminProgram(['--stage', 'local', 'call', 'listClients'], {
      AWS_ENDPOINT_URL: aws.endpoint,
      AWS_REGION: aws.region,
      AWS_ACCESS_KEY_ID: aws.access_key_id,
      AWS_SECRET_ACCESS_KEY: aws.secret_access_key,
    });
    // Rows that other tests made invalid are logged.
    const others = stderr.split('\n').filter((line) => line !== '' && !line.includes('row unreadable'));
    expect([status, others]).toEqual([0, []]);
  });
});
