/** Writes lists of the carriers of a stage, so that its bundles do not contain other carriers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carrierDescriptors } from '../../shared/carrier/carrier-descriptors.ts';

/**
 * The lists that functions import: the name of each list, and the file and the export that it takes from the folder of a
 * carrier.
 */
const modules = { file: (name: string) => `${name}.ts`, item: (name: string) => name };
const lists = {
  '#carriers': { ...modules, list: 'carrierModules' },
  // Excludes the clients of AWS, because a check of credentials does not need them.
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

/** Writes the lists into the folder. @returns the aliases with which a bundle uses them */
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
