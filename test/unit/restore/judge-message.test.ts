/** What webhooks and a spoilt row prove of a lost message, in whatever order they are read. */
import { expect, it } from '@jest/globals';
import { mergedEvidence } from '../../../shared/restore/judge-message.ts';

it('the error of a failed message is kept, whether its earlier webhook is read before or after', () => {
  const sent = { states: { sent: '2026-11-20T10:00:00.000Z' } };
  const failed = {
    states: { failed: '2026-11-20T10:00:05.000Z' },
    error_code: 'unreachable',
    error_message: 'The recipient could not be reached.',
  };
  const both = { ...failed, states: { ...sent.states, ...failed.states } };
  expect(mergedEvidence(sent, failed)).toEqual(both);
  expect(mergedEvidence(failed, sent)).toEqual(both);
});
