import { describe, expect, it } from '@jest/globals';
import { idleMonth } from '../support/docs/idle-cost.ts';
import { page } from '../support/docs/pages.ts';
import { pageWithTable, tables } from '../support/docs/tables.ts';

describe('the generated tables of the documentation', () => {
  it.each(tables)('$name is current; else run `npm run docs:tables`', (table) => {
    expect(page(table.page)).toBe(pageWithTable(table));
  });
});

it('the README says what an idle month of production costs', () => {
  expect(page('README.md')).toContain(`${Math.round(idleMonth('production'))} USD a month`);
});
