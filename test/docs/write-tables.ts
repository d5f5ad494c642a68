/** `npm run docs:tables`: writes the generated tables of the documentation. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/docs/pages.ts';
import { pageWithTable, tables } from '../support/docs/tables.ts';
import { forgetTemplates } from '../support/template/stage-templates.ts';

try {
  for (const table of tables) writeFileSync(join(root, table.page), pageWithTable(table));
} finally {
  forgetTemplates();
}
