import { expect, it } from '@jest/globals';
import { fieldRows } from '../../../lib/build/docs/reference/field-rows.ts';
import { referencePage } from '../../../lib/build/docs/reference/reference-page.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import type { JsonSchema } from '../../../lib/build/openapi/named-schemas.ts';

const document = openApiDocument();

it('the reference says of what type the fields are that take several', () => {
  const { schemas } = document.components;
  const resolve = (reference: string): JsonSchema => schemas[reference.split('/').at(-1) ?? ''] ?? {};
  const parameters = fieldRows(schemas.TemplateParameters ?? {}, resolve);
  expect(parameters.find(({ name }) => name === 'header')?.kind).toBe('string | array | object | null');
  expect(referencePage(document).main.html).not.toContain('<td class="quiet">any</td>');
});
