import { messageOfErrorCode } from '../../../shared/contract/message-error-codes.ts';
import { messageErrorNotes } from '../../../shared/contract/message-error-notes.ts';

/** The table of `docs/message-error-codes.md`, as Markdown. */
export function messageErrorTable(): string {
  return [
    '| Code | Message | Cause | What to do | Retryable |',
    '|---|---|---|---|---|',
    ...Object.entries(messageErrorNotes).map(
      ([code, { cause, remedy, retryable }]) =>
        `| \`${code}\` | ${messageOfErrorCode(code)} | ${cause} | ${remedy} | ${retryable ? 'yes' : 'no'} |`,
    ),
  ].join('\n');
}
