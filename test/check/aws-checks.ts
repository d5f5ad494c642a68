/** Promises that only AWS can break: responses that API Gateway makes itself, TLS, tables, schedules, cold starts. */
import assert from 'node:assert/strict';
import type { AwsStage } from './aws-stage.ts';

interface AwsCheck {
  /** The guarantee. */
  readonly name: string;
  /** Returns why the stage cannot show it, if it cannot. */
  readonly run: (stage: AwsStage) => Promise<string | undefined>;
}

const contractHeaders = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-policy',
];

async function assertContractError(response: Response, status: number, code: string): Promise<void> {
  const text = await response.text();
  const found = [
    response.status,
    text.slice(0, 200),
    ...contractHeaders.filter((name) => !response.headers.has(name)),
  ];
  assert.equal(response.status, status, JSON.stringify(found));
  assert.match(text, new RegExp(`"error":\\s*"${code}"`), JSON.stringify(found));
  assert.equal(found.length, 2, `without ${found.slice(2).join(', ')}`);
}

const coldStartMsMax = 3000;
const coldStartsAtOnce = 20;

/** A one-shot schedule fires within its minute, for which the gateway sets it early. */
const scheduleLateSeconds = 60;
/** The policy of a new queue is in force after up to a minute. */
const scheduleAheadSeconds = 75;

export const awsChecks: readonly AwsCheck[] = [
  {
    name: 'a body above 10 MB is 413 in the form of every error',
    async run(stage) {
      const body = JSON.stringify({ message: 'x'.repeat(10.5 * 1024 * 1024) });
      const headers = { 'Content-Type': 'application/json' };
      const response = await stage.request('POST', '/api/v1/sms/send', { body, headers });
      await assertContractError(response, 413, 'payload_too_large');
      return undefined;
    },
  },
  {
    name: 'the web ACL blocks a known attack in the form of every error',
    async run(stage) {
      if (!stage.resourceTypes.has('AWS::WAFv2::WebACLAssociation')) return 'the stage has no web ACL';
      // The rule group on known bad inputs blocks this text; the host does not exist.
      const headers = { 'X-Check': `\${jndi:ldap://check.invalid/}` };
      const response = await stage.request('GET', '/.well-known/jwks.json', { headers });
      await assertContractError(response, 403, 'forbidden');
      return undefined;
    },
  },
  {
    name: 'TLS 1.2 is accepted, and nothing older',
    async run(stage) {
      const accepted: string[] = [];
      for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2'] as const)
        if (await stage.acceptsTls(version)) accepted.push(version);
      assert.deepEqual(accepted, ['TLSv1.2'], `accepted: ${accepted.join(', ')}`);
      return undefined;
    },
  },
  {
    name: 'every table has its time to live, its recovery and its stream',
    async run(stage) {
      assert.deepEqual(await stage.tableFaults(), []);
      return undefined;
    },
  },
  {
    name: `${coldStartsAtOnce} requests at once are each answered within ${coldStartMsMax} ms`,
    async run(stage) {
      const took = await Promise.all(
        Array.from({ length: coldStartsAtOnce }, async () => {
          const begun = performance.now();
          const { status } = await stage.request('GET', '/api/v1/account');
          assert.equal(status, 200);
          return performance.now() - begun;
        }),
      );
      const slowest = Math.round(Math.max(...took));
      assert.ok(slowest <= coldStartMsMax, `the slowest took ${slowest} ms`);
      return undefined;
    },
  },
  {
    name: `a one-shot schedule never fires early, and at most ${scheduleLateSeconds} s late`,
    async run(stage) {
      // Schedules have whole seconds.
      const at = new Date(Math.ceil(Date.now() / 1000 + scheduleAheadSeconds) * 1000);
      const fired = await stage.fireSchedule(at, scheduleAheadSeconds + 2 * scheduleLateSeconds);
      assert.ok(fired !== undefined, 'it did not fire');
      const late = (fired.getTime() - at.getTime()) / 1000;
      assert.ok(late >= 0 && late <= scheduleLateSeconds, `${late.toFixed(1)} s late`);
      return undefined;
    },
  },
];
