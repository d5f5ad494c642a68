/** The tables and sections of the guides that follow from the code, as Markdown. */
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { errorNotes } from '../../../lib/build/openapi/error-examples.ts';
import { type ErrorCode, errorStatus } from '../../../shared/contract/errors.ts';
import { messageErrorNotes } from '../../../shared/contract/message-error-notes.ts';
import { type Policy, policies } from '../../../shared/contract/rate-limits-and-caps.ts';

/** The default limits. @param except - names of policies that the page does not list */
export function limitTable(): string {
  const rows = Object.entries<Policy>(policies)
    .filter(([name]) => !['admin', 'unmatched'].includes(name))
    .map(([, { endpoint, perMinute, perHour, perDay }]) => {
      const numbers = [perMinute, perHour, perDay].map((limit) => limit.toLocaleString('en'));
      return `| \`${endpoint}\` | ${numbers.join(' | ')} |`;
    });
  return ['| Endpoint | Minute | Hour | Day |', '|---|---|---|---|', ...rows].join('\n');
}

export function eventTable(): string {
  const rows = Object.entries(openApiDocument().webhooks).map(
    ([name, { post }]) => `| \`${name}\` | ${post.summary} |`,
  );
  return ['| Event | Meaning |', '|---|---|', ...rows].join('\n');
}

/** A section for each code, to which `doc_url` of an error links. */
export function errorSections(): string {
  return (Object.keys(errorStatus) as ErrorCode[])
    .map((code) => `### \`${code}\`\n\nStatus ${errorStatus[code]}. ${errorNotes[code]}`)
    .join('\n\n');
}

export function messageErrorSections(): string {
  return Object.entries(messageErrorNotes)
    .map(
      ([code, { cause, remedy, retryable }]) =>
        `### Message: \`${code}\`\n\n${cause} **What to do:** ${remedy} ${retryable ? 'Retryable.' : 'Not retryable.'}`,
    )
    .join('\n\n');
}
