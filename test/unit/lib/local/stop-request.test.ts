import { describe, expect, it } from '@jest/globals';
import { stopRequest } from '../../../../lib/local/stop-request.ts';

/** What was done after a signal at each of these milliseconds. */
function doneAfter(signalsAtMs: readonly number[]): string[] {
  const done: string[] = [];
  let nowMs = 0;
  const onSignal = stopRequest({
    stop: () => done.push('stop'),
    force: () => done.push('force'),
    now: () => nowMs,
  });
  for (const atMs of signalsAtMs) {
    nowMs = atMs;
    onSignal();
  }
  return done;
}

describe('a request to stop', () => {
  it('stops once, however often its signal comes within five seconds', () => {
    expect(doneAfter([100, 100, 101, 350, 4000, 5100])).toEqual(['stop']);
  });

  it('ends at once where it is repeated later', () => {
    expect(doneAfter([100, 101, 5101])).toEqual(['stop', 'force']);
  });
});
