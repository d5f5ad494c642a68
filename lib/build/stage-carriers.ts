/** The lists of carriers with those of a stage only: what a stage does not use is in none of its bundles. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What functions import, with the file and the export of a carrier's folder, and the name of the list. */
const lists = {
  '#carriers': { file: (name: string) => `${name}.ts`, item: (name: string) => name, list: 'carrierModules' },
  '#carrier-reports': {
    file: () => 'reports.ts',
    item: (name: string) => `${name}Reports`,
    list: 'carrierReports',
  },
} as const;

/** The functions that import a list. */
export const functionsWithCarriers: readonly string[] = [
  'carrier-callback',
  'dispatch-message',
  'record-receipt',
];

/** Writes the lists into the folder. @returns the aliases with which a bundle has them */
export function writeCarrierLists(
  folder: string,
  root: string,
  names: readonly string[],
): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  return Object.fromEntries(
    Object.entries(lists).map(([alias, { file, item, list }]) => {
      const path = join(folder, `${list}.ts`);
      const imports = names.map((name) => {
        const from = JSON.stringify(join(root, 'shared/carrier', name, file(name)));
        return `import { ${item(name)} } from ${from};\n`;
      });
      writeFileSync(path, `${imports.join('')}export const ${list} = [${names.map(item).join(', ')}];\n`);
      return [alias, path];
    }),
  );
}
