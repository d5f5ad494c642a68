import { describe, expect, it } from '@jest/globals';
import { page } from '../support/docs/pages.ts';
import { pageWithTable, tables } from '../support/docs/tables.ts';

describe('the generated tables of the documentation', () => {
  it.each(tables)('$name is current; else run `npm run docs:tables`', (table) => {
    expect(page(table.page)).toBe(pageWithTable(table));
  });
});
