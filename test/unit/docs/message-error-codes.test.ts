import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { messageErrorTable } from '../../support/docs/message-error-table.ts';

const root = join(import.meta.dirname, '..', '..', '..');

it('the page of message error codes has the table as the code defines it', () => {
  const page = readFileSync(join(root, 'docs/message-error-codes.md'), 'utf8');
  const [, table] = page.split(/<!-- table: message error codes -->\n|<!-- end of table -->/);
  expect(table?.trim()).toBe(messageErrorTable());
});

it('the API document lists every message error code, and allows new ones', () => {
  const { MessageFailure, WebhookEventData } = openApiDocument().components.schemas;
  const open = { type: 'string', 'x-extensible-enum': Object.keys(messageErrorCodes) };
  expect(MessageFailure).toMatchObject({ properties: { code: open } });
  expect(WebhookEventData).toMatchObject({ properties: { error_code: open } });
});
