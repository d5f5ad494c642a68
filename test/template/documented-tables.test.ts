import { describe, expect, it } from '@jest/globals';
import { idleMonth, keyPrice } from '../support/docs/idle-cost.ts';
import { page } from '../support/docs/pages.ts';
import { pageWithTable, tables } from '../support/docs/tables.ts';

describe('the generated tables of the documentation', () => {
  it.each(tables)('$name is current; else run `npm run docs:tables`', (table) => {
    expect(page(table.page)).toBe(pageWithTable(table));
  });
});

it('the page on costs says what provisioned capacity costs in an idle month', () => {
  const with100 = idleMonth('production with everything') - idleMonth('production');
  // The other deployment has a second token key; its IP sets are free.
  const ofUnit = (with100 - keyPrice) / 100;
  expect(page('docs/cost-and-scale.md')).toContain(
    `costs ${ofUnit.toFixed(2)} more for each unit of \`min\``,
  );
});

it('the README says what an idle month of production costs', () => {
  expect(page('README.md')).toContain(`${Math.round(idleMonth('production'))} USD a month`);
});
