/** The fields of a schema as a table, each with an address of its own. */

import type { JsonSchema } from '../../openapi/named-schemas.ts';
import { codeRow, type Html, html, inline, table } from '../html.ts';
import { fieldRows, type Resolve } from './field-rows.ts';

/**
 * Makes the table.
 *
 * @param place - the prefix of each row's id
 * @param mark - the word after fields that are always present, or required
 */
export function fieldTable(schema: JsonSchema, resolve: Resolve, place: string, mark?: string): Html {
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema;
  // A schema with several possible bodies has a table for each, headed by the schema's name.
  if (Array.isArray(target.oneOf)) {
    return html`${(target.oneOf as JsonSchema[]).map((one) => {
      const name = String(one.$ref).split('/').at(-1) ?? '';
      return html`<h5>${name}</h5>${fieldTable(one, resolve, `${place}.${name}`, mark)}`;
    })}`;
  }
  const rows = fieldRows(target, resolve);
  if (rows.length === 0) return html``;
  return table(
    [{ title: 'Field' }, { title: 'Kind', quiet: true }, { title: 'Meaning' }],
    rows.map(({ name, kind, required, note }) => ({
      ...codeRow(`${place}.${name}`, breakable(name), kind, inline(note)),
      mark: required ? mark : mark === undefined ? 'optional' : undefined,
    })),
  );
}

/** Permits a line break after each dot. */
function breakable(name: string): Html[] {
  return name.split(/(?<=\.)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
}
