/** The table of messages is lost with 2,000 in every state, and the restore is killed at ten points. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runGateway } from '../../support/gateway/run-gateway.ts';
import { expectNothingTwice, loseAndRestore } from '../../support/restore/restored-gateway.ts';

let stop: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  ({ stop } = await runGateway());
});
afterAll(async () => {
  await stop?.();
});

const minutes = 60_000;

it(
  'nobody gets a message twice, no webhook is repeated, and usage has every message once',
  async () => {
    const run = await loseAndRestore({ total: 2000, kills: 10 });
    try {
      await expectNothingTwice(run);
      expect(run.deaths).toBe(10);
    } finally {
      await run.close();
    }
  },
  30 * minutes,
);
