/** A fuzz run that met limits, refusals or faults instead of the operations is told to have failed. */
import { describe, expect, it } from '@jest/globals';
import { type OperationName, operations } from '../../../lib/build/openapi/operations.ts';
import { routes } from '../../../shared/contract/routes.ts';
import { type Tally, tallyOfAnswers } from '../../fuzz/tally.ts';

/** Every operation met a hundred times, as it should be. */
function goodRun(): Tally {
  const tally = tallyOfAnswers();
  for (const name of Object.keys(operations) as OperationName[]) {
    const { method, path } = routes[name];
    for (let answer = 0; answer < 100; answer += 1) tally.count(method, path, answer < 50 ? 200 : 400);
  }
  return tally;
}

function repeated(tally: Tally, times: number, method: string, path: string, status: number): Tally {
  for (let answer = 0; answer < times; answer += 1) tally.count(method, path, status);
  return tally;
}

describe('a fuzz run', () => {
  it('that met every operation has no fault', () => {
    expect(goodRun().faults()).toEqual([]);
  });

  it.each([401, 429])('of which more than a fifth of an operation’s answers are %i is at fault', (status) => {
    const tally = repeated(goodRun(), 30, 'POST', '/api/v1/auth/token', status);
    expect(tally.faults()).toEqual([expect.stringContaining('POST /api/v1/auth/token: 23.1 %')]);
  });

  it('that never called an operation, or was never let in, is at fault', () => {
    expect(tallyOfAnswers().faults()).toHaveLength(Object.keys(operations).length);
    const refused = repeated(goodRun(), 1000, 'GET', '/api/v1/sms/status/msg_1?x=1', 404);
    expect(refused.faults()).toEqual([expect.stringContaining('only 4.5 % are successes')]);
  });

  it('in which anything answered 5xx is at fault, an unknown path too', () => {
    expect(repeated(goodRun(), 1, 'PUT', '/nowhere', 502).faults()).toEqual(['no operation answered 502']);
    expect(repeated(goodRun(), 1, 'GET', '/api/v1/account', 500).faults()).toEqual([
      'GET /api/v1/account answered 500',
    ]);
  });
});
