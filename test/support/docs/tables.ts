/**
 * The tables and lists of the documentation that are generated from the code. A page has a table between
 * `<!-- table: name -->` and `<!-- end of table -->`; `npm run docs:tables` writes it.
 */
import { simulatedRecipients } from '../../../shared/carrier/simulator/simulated-recipients.ts';
import { type TableShape, tableShapes } from '../../../shared/contract/tables.ts';
import { actionsOf, permissionTable } from '../template/function-actions.ts';
import { synthesized } from '../template/stage-templates.ts';
import { errorSections, eventTable, limitTable, messageErrorSections } from './guide-tables.ts';
import { idleCostTable, requestCostTable } from './idle-cost.ts';
import { wayTable } from './message-way.ts';
import { functionPicture, queueTable, statePicture, tableTable } from './overview.ts';
import { page } from './pages.ts';
import { propertyTable } from './property-table.ts';

interface DocumentedTable {
  readonly name: string;
  readonly page: string;
  /** The table as Markdown. */
  readonly make: () => string;
}

export const tables: readonly DocumentedTable[] = [
  {
    name: 'function permissions',
    page: 'test/template/generated/permissions.md',
    make: productionPermissions,
  },
  { name: 'events', page: 'docs/guides/webhooks.md', make: eventTable },
  { name: 'error codes', page: 'docs/guides/errors.md', make: errorSections },
  { name: 'message error codes', page: 'docs/guides/errors.md', make: messageErrorSections },
  { name: 'limits of clients', page: 'docs/guides/limits.md', make: limitTable },
  { name: 'simulated recipients', page: 'docs/guides/testing.md', make: recipientTable },
  { name: 'restorable tables', page: 'docs/rotate-and-restore.md', make: restorableTables },
  { name: 'cost of an idle month', page: 'docs/cost-and-scale.md', make: idleCostTable },
  { name: 'cost of requests in production', page: 'docs/cost-and-scale.md', make: requestCostTable },
  { name: 'functions', page: 'docs/architecture.md', make: functionPicture },
  { name: 'way of a message', page: 'docs/architecture.md', make: wayTable },
  { name: 'states', page: 'docs/architecture.md', make: statePicture },
  { name: 'tables', page: 'docs/architecture.md', make: tableTable },
  { name: 'queues', page: 'docs/architecture.md', make: queueTable },
  { name: 'settings', page: 'docs/deploy.md', make: propertyTable },
];

function restorableTables(): string {
  const shapes: Readonly<Record<string, TableShape>> = tableShapes;
  return Object.entries(shapes)
    .filter(([, { notRestorable }]) => notRestorable === undefined)
    .map(([name]) => `- \`${name}\``)
    .join('\n');
}

function productionPermissions(): string {
  return permissionTable(actionsOf(synthesized('production').resources));
}

function recipientTable(): string {
  return [
    '| Recipient | The simulated carrier |',
    '|---|---|',
    '| any other | sent, then delivered |',
    ...Object.entries(simulatedRecipients).map(([recipient, { words }]) => `| ${recipient} | ${words} |`),
  ].join('\n');
}

/**
 * Returns the page with the current table.
 *
 * @throws Error if the page has no place for the table
 */
export function pageWithTable({ name, page: path, make }: DocumentedTable): string {
  const start = `<!-- table: ${name} -->\n`;
  const end = '<!-- end of table -->';
  const [before, rest] = page(path).split(start);
  const after = rest?.slice(rest.indexOf(end));
  if (before === undefined || after === undefined || !after.startsWith(end))
    throw new Error(`${path} has no place for the table ${name}`);
  return `${before}${start}\n${make()}\n\n${after}`;
}
