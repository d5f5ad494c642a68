/** The codes of refused requests, and those of messages that failed. */
import { type ErrorCode, errorStatus } from '../../../../shared/contract/errors.ts';
import { messageOfErrorCode } from '../../../../shared/contract/message-error-codes.ts';
import { messageErrorNotes } from '../../../../shared/contract/message-error-notes.ts';
import { routes } from '../../../../shared/contract/routes.ts';
import type { OpenApiDocument } from '../../openapi/document.ts';
import { errorExample, errorNotes } from '../../openapi/errors.ts';
import { operations } from '../../openapi/operations.ts';
import { codeBlock } from '../highlight.ts';
import { codeRow, heading, html, inline, prose, table } from '../html.ts';
import type { Page } from '../page.ts';
import { fieldTable } from '../reference/field-rows.ts';
import { jsonNotation, literal } from '../samples/literal.ts';
import { linkTo } from '../site.ts';

export function errorsPage({ components }: Pick<OpenApiDocument, 'components'>): Page {
  const resolve = (reference: string) => components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
  return {
    sections: [
      { id: 'error-codes', title: 'Error codes of requests' },
      { id: 'error-body', title: 'Body of an error' },
      { id: 'message-error-codes', title: 'Error codes of messages' },
    ],
    main: html`<h1>Errors</h1>
${prose(`A request that is refused has an error code in its body, and nothing was stored or sent. A message that was accepted can still fail later: then its status and its webhook have a message error code. The errors of each operation are in the [API reference](${linkTo('reference')}).`)}
<section>${heading(2, 'error-codes', 'Error codes of requests')}
${prose('Retry `429`, `500` and `503` after a delay, and a send with the same `Idempotency-Key`; `Retry-After` of a 429 says how long to wait. 409 `idempotency_in_progress` can be retried too. The others fail again until the request is changed.')}
${table(
  [{ title: 'Code' }, { title: 'Status', quiet: true }, { title: 'When' }],
  (Object.entries(errorStatus) as [ErrorCode, number][]).map(([code, status]) => ({
    ...codeRow(code, code, String(status), inline(errorNotes[code])),
    keywords: String(status),
  })),
)}</section>
<section>${heading(2, 'error-body', 'Body of an error')}
${codeBlock(literal(jsonNotation, errorExample('invalid_request', routes.sendSms, operations.sendSms)), 'json', 'Example of an error')}
${fieldTable({ $ref: '#/components/schemas/ErrorResponse' }, resolve, 'error')}</section>
<section>${heading(2, 'message-error-codes', 'Error codes of messages')}
${prose('These codes say why a message failed or expired. They are `error.code` in a status response, and `error_code` in a webhook. A code keeps its meaning; a release may add codes. If a code is retryable, the same message can be delivered when it is sent again later.')}
${table(
  [
    { title: 'Code' },
    { title: 'Cause' },
    { title: 'What to do', repeated: true },
    { title: 'Retryable', quiet: true, repeated: true },
  ],
  Object.entries(messageErrorNotes).map(([code, { cause, remedy, retryable }]) => {
    const meaning = html`${inline(cause)}<p class="quiet">${messageOfErrorCode(code)}</p>`;
    return codeRow(`message.${code}`, code, meaning, inline(remedy), retryable ? 'yes' : 'no');
  }),
)}</section>`,
  };
}
