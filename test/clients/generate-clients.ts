/** Generates what the clients in `clients/` have from the API document, in memory. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import {
  asyncResources,
  type ClientLanguage,
  generatedFiles,
  readmes,
  synchronousFiles,
  synchronousOpening,
  typesFiles,
  typesOpening,
  withMethodTable,
} from '../../lib/build/clients/generated-files.ts';
import { pythonWithPackages } from '../../lib/local/python.ts';

const root = join(import.meta.dirname, '../..');
const typescript = join(root, 'clients/typescript');

/** @returns the text of each file, by its path from the root of the repository */
export async function generateClients(): Promise<ReadonlyMap<string, string>> {
  const { methods, typesDocuments, resources } = generatedFiles();
  const languages = Object.keys(readmes) as ClientLanguage[];
  return new Map([
    ...languages.map((language): [string, string] => {
      const readme = readFileSync(join(root, readmes[language]), 'utf8');
      return [readmes[language], withMethodTable(readme, methods, language)];
    }),
    ...Object.entries(resources),
    ...(await synchronousPython(resources[asyncResources] ?? '')),
    [typesFiles.typescript, await typescriptTypes(typesDocuments.typescript)],
    [typesFiles.python, await pythonTypes(typesDocuments.python)],
  ]);
}

/** Installs what the TypeScript client is generated and built with. */
export async function installTypescriptTools(): Promise<void> {
  if (existsSync(join(typescript, 'node_modules'))) return;
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: typescript });
}

/** A Python with what the Python client is generated, checked, built and tested with. */
export function pythonForClients(): Promise<string> {
  return pythonWithPackages(
    join(root, '.local/clients'),
    () => process.stdout.write('Installing the tools for Python (once)\n'),
    new AbortController().signal,
    join(root, 'clients/python/requirements-dev.txt'),
  );
}

async function typescriptTypes(document: Parameters<typeof typesOpening>[0]): Promise<string> {
  await installTypescriptTools();
  const types = output('node', ['generate-types.mjs'], typescript, JSON.stringify(document));
  return `/** ${typesOpening(document)} */\n${types}`;
}

async function pythonTypes(document: Parameters<typeof typesOpening>[0]): Promise<string> {
  const options = [
    ...['--input-file-type', 'openapi', '--output-model-type', 'pydantic_v2.BaseModel'],
    ...['--target-python-version', '3.10', '--formatters', 'builtin', '--disable-timestamp'],
    ...['--use-union-operator', '--use-standard-collections', '--enum-field-as-literal', 'all'],
    ...['--use-schema-description', '--use-field-description', '--extra-fields', 'allow'],
    ...['--custom-file-header', `"""${typesOpening(document)}"""`],
  ];
  const command = ['-m', 'datamodel_code_generator', ...options];
  // Type checkers take no override without the annotation of the base class for certain.
  const models = output(await pythonForClients(), command, root, JSON.stringify(document))
    .replaceAll('model_config = ConfigDict(', 'model_config: ClassVar[ConfigDict] = ConfigDict(')
    .replace('from typing import Any,', 'from typing import Any, ClassVar,');
  const names = Object.keys(document.components.schemas).toSorted();
  return `${models.trimEnd()}\n\n\n__all__ = [\n${names.map((name) => `    "${name}",`).join('\n')}\n]\n`;
}

async function synchronousPython(resources: string): Promise<[string, string][]> {
  const folder = join(root, 'clients/python');
  const made = JSON.parse(output(await pythonForClients(), ['make_synchronous.py'], folder, resources));
  return Object.entries(synchronousFiles).map(([path, source]) => {
    const text = source === asyncResources ? resources : readFileSync(join(root, source), 'utf8');
    return [path, `${synchronousOpening(text)}\n${made[basename(path)]}`];
  });
}

/** Returns what a generator prints for its standard input. */
function output(command: string, options: readonly string[], cwd: string, input: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, [...options], {
    cwd,
    input,
    encoding: 'utf8',
    maxBuffer: 16_777_216,
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`, { cause: error });
  return stdout;
}
