import { describe, expect, it } from '@jest/globals';
import { freeWhenIdle, idleMonth, keyPrice, pricedWhenIdle, rulePrice } from '../support/docs/idle-cost.ts';
import { page } from '../support/docs/pages.ts';
import { pageWithTable, tables } from '../support/docs/tables.ts';
import { deployments } from '../support/template/deployments.ts';
import { typesIn } from '../support/template/stage-templates.ts';

describe('the generated tables of the documentation', () => {
  it.each(tables)('$name is current; else run `npm run docs:tables`', (table) => {
    expect(page(table.page)).toBe(pageWithTable(table));
  });
});

it('the page on costs says what provisioned capacity costs in an idle month', () => {
  const with100 = idleMonth('production with everything') - idleMonth('production');
  // The other deployment has a second token key, and no rate rule because of its proxies.
  const ofUnit = (with100 - keyPrice + rulePrice) / 100;
  expect(page('docs/cost-and-scale.md')).toContain(
    `costs ${ofUnit.toFixed(2)} more for each unit of \`min\``,
  );
});

it.each(['README.md', 'docs/deploy.md'])('%s says what an idle month of production costs', (path) => {
  expect(page(path)).toContain(`${Math.round(idleMonth('production'))} USD a month`);
});

it('the page of the deploy says what an idle month of dev costs', () => {
  expect(page('docs/deploy.md')).toContain(`\`dev\` costs ${Math.round(idleMonth('no settings'))} `);
});

it('every type of resource is in the price list of an idle month, or costs nothing when idle', () => {
  const types = new Set(Object.keys(deployments).flatMap(typesIn));
  expect([...types].filter((type) => !pricedWhenIdle.has(type) && !freeWhenIdle.has(type))).toEqual([]);
});
