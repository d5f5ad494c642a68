import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';

/** The table of `docs/message-error-codes.md`, as Markdown. */
export function messageErrorTable(): string {
  return [
    '| Code | Message | Cause | What to do | Retryable |',
    '|---|---|---|---|---|',
    ...Object.entries(messageErrorCodes).map(
      ([code, { message, cause, remedy, retryable }]) =>
        `| \`${code}\` | ${message} | ${cause} | ${remedy} | ${retryable ? 'yes' : 'no'} |`,
    ),
  ].join('\n');
}
