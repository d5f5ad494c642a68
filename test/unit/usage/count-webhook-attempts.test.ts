/** One write counts the attempts of a batch and their time; a write that fails does not fail the work. */
import { expect, it } from '@jest/globals';
import { countWebhookAttempts } from '../../../shared/usage/webhook-attempts.dynamo.ts';

const at = new Date('2026-11-20T10:00:00.000Z');

it('adds up results and durations in whole milliseconds', async () => {
  const written: unknown[] = [];
  const counter = { add: async (...call: readonly unknown[]) => void written.push(call) };
  await countWebhookAttempts({ counter, clock: () => at, warn: () => undefined }, [
    { metric: 'webhooks_acknowledged', totalMs: 12.4 },
    { metric: 'webhooks_acknowledged', totalMs: 30 },
    { metric: 'webhooks_failed', totalMs: 5000.2 },
  ]);
  expect(written).toEqual([
    [{ webhooks_acknowledged: 2, webhooks_failed: 1, webhooks_total_ms: 5042 }, at, 'live'],
  ]);
});

it('a count that fails is a warning', async () => {
  const warnings: string[] = [];
  const counter = {
    add: async () => {
      throw new Error('throttled');
    },
  };
  const warn = (message: string) => void warnings.push(message);
  await countWebhookAttempts({ counter, clock: () => at, warn }, [{ metric: 'webhooks_failed', totalMs: 1 }]);
  expect(warnings).toEqual(['webhook attempts not counted']);
});
