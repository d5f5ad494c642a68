/** What webhooks and a spoilt row prove of a lost message, in whatever order they are read. */
import { expect, it } from '@jest/globals';
import { evidenceInBody, mergedEvidence } from '../../../shared/restore/judge-message.ts';

it('the error of a failed message is kept, whether its earlier webhook is read before or after', () => {
  const bodyOf = (timestamp: string, data: object) =>
    evidenceInBody(JSON.stringify({ timestamp, data })) ?? { states: {} };
  const error = { error_code: 'unreachable', error_message: 'The recipient could not be reached.' };
  const [sentAt, failedAt] = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:05.000Z'];
  const sent = bodyOf(sentAt, { status: 'sent' });
  const failed = bodyOf(failedAt, { status: 'failed', ...error });
  const both = { ...error, states: { sent: sentAt, failed: failedAt } };
  expect(mergedEvidence(sent, failed)).toEqual(both);
  expect(mergedEvidence(failed, sent)).toEqual(both);
});
