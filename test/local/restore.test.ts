/** `npm run admin -- restore` on a gateway of its own, whose table of messages is lost under traffic. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runGateway } from '../support/gateway/run-gateway.ts';
import { expectNothingTwice, loseAndRestore } from '../support/restore/restored-gateway.ts';

let stop: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  ({ stop } = await runGateway());
});
afterAll(async () => {
  await stop?.();
});

const minutes = 60_000;

it(
  'nobody gets a message twice, no webhook is repeated, and the API answers 503 until all is on again',
  async () => {
    const run = await loseAndRestore({ total: 60, kills: 3 });
    try {
      await expectNothingTwice(run);
      expect(run.deaths).toBeGreaterThan(0);
    } finally {
      await run.close();
    }
  },
  15 * minutes,
);
