/** What functions count of themselves, as CloudWatch takes it from their standard output. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..', '..');

interface Counted {
  readonly metric: string;
  readonly of: unknown;
}

/** What a program prints between two of its steps. */
const nextStep = 'next step';

/** The metrics in what each step of a program prints that runs in the stage `the-stage`. */
async function countedBy(program: string): Promise<Counted[][]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, SERVICE_NAME: 'the-stage' },
  });
  return stdout.split(nextStep).map(metricsIn);
}

function metricsIn(printed: string): Counted[] {
  return printed
    .split('\n')
    .filter((line) => line.includes('"_aws"'))
    .map((line) => JSON.parse(line))
    .map(({ _aws, ...fields }) => {
      const [{ Dimensions, Metrics }] = _aws.CloudWatchMetrics;
      const names = Dimensions[0] as string[];
      return { metric: Metrics[0].Name, of: Object.fromEntries(names.map((name) => [name, fields[name]])) };
    });
}

const counts = (metric: string): Counted => ({ metric, of: { service: 'the-stage' } });

it('counts a 5xx of a send, which Lambda takes for a success, and no other response', async () => {
  const counted = await countedBy(`
    import { publicHttpFunction } from './shared/http/http-function.ts';
    import { routes } from './shared/contract/routes.ts';
    import { GatewayError } from './shared/contract/errors.ts';
    const context = {
      env: { TOKEN_ISSUER: 'https://gateway.test', RATE_COUNTERS_TABLE: 'counters' },
      db: { send: async () => ({ Attributes: {} }) },
      clock: () => new Date(),
      newId: () => 'w',
      log: { info() {}, error() {} },
    };
    async function request(route, end) {
      const handler = publicHttpFunction(context, route, end);
      await handler(
        { httpMethod: 'GET', path: '/docs', headers: {}, requestContext: { requestId: 'r', identity: { sourceIp: '192.0.2.1' } } },
        { getRemainingTimeInMillis: () => 5000, awsRequestId: 'r' },
      );
      console.log('${nextStep}');
    }
    const send = { ...routes.getDocs, functionName: routes.sendSms.functionName };
    await request(send, () => { throw new Error('a bug'); });
    await request(send, () => { throw new GatewayError('service_unavailable', 'Later.'); });
    await request(send, () => { throw new GatewayError('invalid_request', 'No.'); });
    await request(send, async () => ({ status: 200, headers: {}, body: 'ok' }));
    await request(routes.getDocs, () => { throw new Error('a bug'); });
  `);
  const [bug, unavailable, ...noFailures] = counted;
  expect([bug, unavailable]).toEqual([[counts('SendFailed')], [counts('SendFailed')]]);
  expect(noFailures).toEqual([[], [], [], []]);
});

it('counts each queue message that failed, and no other', async () => {
  const counted = await countedBy(`
    import { processRecords } from './shared/platform/process-queue-batch.ts';
    const Records = ['a', 'b', 'c'].map((messageId) => ({ messageId, body: '', attributes: {} }));
    await processRecords({ Records }, async ({ messageId }) => {
      if (messageId !== 'b') throw new Error('no');
      return {};
    });
  `);
  expect(counted).toEqual([[counts('WorkFailed'), counts('WorkFailed')]]);
});
