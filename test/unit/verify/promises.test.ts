/** `npm run verify` measures every promise, and names the one that a stage breaks. */
import { describe, expect, it } from '@jest/globals';
import type { Result } from '../../../bin/verify/promise.ts';
import type { VerifiedStage } from '../../../bin/verify/verified-stage.ts';
import { measureAll, promises, textOf } from '../../../bin/verify/verify.ts';
import { type Fault, scriptedStage } from '../../support/verify/scripted-stage.ts';

const ignore = () => undefined;
const run = (stage: VerifiedStage): Promise<Result[]> => measureAll(stage, ignore);
const titlesOf = (results: readonly Result[], kind: Result['result']): string[] =>
  results.filter(({ result }) => result === kind).map(({ title }) => title);

/** Each fault with the words of the promise that it breaks. */
const faults: readonly [Fault, RegExp][] = [
  ['an unknown path is answered as API Gateway does', /path that does not exist/],
  ['refusals lack a header', /without credentials/],
  ['a large body is refused in plain text', /body above 10 MB/],
  ['the web ACL blocks nothing', /web ACL/],
  ['tokens live half an hour', /token is valid/],
  ['TLS 1.0 is accepted', /TLS/],
  ['receipts do not come', /receipt comes back/],
  ['scheduled messages go out early', /scheduled message goes out/],
  ['scheduled messages go out late', /scheduled message goes out/],
  ['canceling does nothing', /canceled stays canceled/],
  ['idempotency keys are ignored', /idempotency key/],
  ['every code is right', /one-time password/],
  ['limits admit one more', /limit of a minute/],
  ['webhooks are retried early', /webhook is retried/],
  ['webhooks are signed with another secret', /webhook is signed/],
  ['schedules fire early', /one-shot schedule/],
  ['schedules never fire', /one-shot schedule/],
  ['a table lost its recovery', /Every table/],
  ['the alarm never goes on', /alarm goes on/],
  ['the alarm never goes off', /alarm goes on/],
  ['functions start slowly', /starts cold/],
  ['queues are not shared fairly', /few messages/],
];

describe('a stage that keeps its promises', () => {
  it('passes each of them, numbered', async () => {
    const results = await run(scriptedStage(() => false));
    expect(results.filter(({ result }) => result !== 'pass').map(textOf)).toEqual([]);
    expect(results.map(({ number }) => number)).toEqual(promises.map((_promise, index) => index + 1));
  });

  it('is not asked on this machine for what only AWS has', async () => {
    const stage = scriptedStage(() => false);
    const local = { ...stage, isLocal: true, receiver: undefined, baseUrl: 'http://localhost:3000' };
    expect(titlesOf(await run(local), 'not applicable')).toHaveLength(6);
  });

  it('is waited for less than three minutes on this machine: all promises are measured at the same time', async () => {
    const stage = scriptedStage(() => false);
    const begun = stage.now().getTime();
    await run({ ...stage, isLocal: true });
    expect(stage.now().getTime() - begun).toBeLessThan(180_000);
  });
});

describe('a stage that breaks a promise', () => {
  it.each(faults)('fails it, and only it: %s', async (fault, broken) => {
    const results = await run(scriptedStage((one) => one === fault));
    const failed = results.filter(({ result }) => result === 'fail');
    expect(failed.map(({ title }) => title)).toEqual([expect.stringMatching(broken)]);
    const [first] = failed;
    expect(first?.what_to_do).toBeTruthy();
    expect(first === undefined ? '' : textOf(first)).toMatch(
      /✗ .*\n.*promised: .*\n.*measured: .*\n.*what to do: /,
    );
  });

  it('can break each of them: no promise is without a fault', () => {
    for (const { title } of promises) expect(faults.some(([, broken]) => broken.test(title))).toBe(true);
  });

  it('fails a promise that cannot be measured, with the reason', async () => {
    const stage = scriptedStage(() => false);
    const refused = { ...stage.aws, fireSchedule: () => Promise.reject(new Error('AccessDenied')) };
    const results = await run({ ...stage, aws: refused });
    expect(titlesOf(results, 'fail')).toEqual([expect.stringMatching(/one-shot schedule/)]);
    expect(results.find(({ result }) => result === 'fail')?.measured).toBe('AccessDenied');
  });
});
