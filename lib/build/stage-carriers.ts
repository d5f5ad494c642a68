/** Writes lists of a stage's carriers, so that its bundles contain no other carriers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carrierDescriptors } from '../../shared/carrier/carrier-descriptors.ts';

/** The lists that functions import. For each: its name, and which file and export of a carrier's folder it contains. */
const modules = { file: (name: string) => `${name}.ts`, item: (name: string) => name };
const lists = {
  '#carriers': { ...modules, list: 'carrierModules' },
  // AWS's carriers are left out, because checking their credentials needs no call.
  '#carriers-with-credentials': { ...modules, list: 'carriersWithCredentials' },
  '#carrier-reports': {
    file: (name: string) => `${name}-reports.ts`,
    item: (name: string) => `${name}Reports`,
    list: 'carrierReports',
  },
} as const;

const hasCredentials = (name: string): boolean =>
  carrierDescriptors.some((each) => each.name === name && each.hasCredentials);

/** The functions that import a list. */
export const functionsWithCarriers: readonly string[] = [
  'admin-api',
  'carrier-callback',
  'dispatch-message',
  'record-receipt',
];

/** Writes the lists into the folder. @returns the aliases through which a bundle imports them */
export function writeCarrierLists(
  folder: string,
  root: string,
  names: readonly string[],
): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  return Object.fromEntries(
    Object.entries(lists).map(([alias, { file, item, list }]) => {
      const path = join(folder, `${list}.ts`);
      const listed = names.filter((name) => list !== 'carriersWithCredentials' || hasCredentials(name));
      const imports = listed.map((name) => {
        const from = JSON.stringify(join(root, 'shared/carrier', name, file(name)));
        return `import { ${item(name)} } from ${from};\n`;
      });
      writeFileSync(path, `${imports.join('')}export const ${list} = [${listed.map(item).join(', ')}];\n`);
      return [alias, path];
    }),
  );
}
