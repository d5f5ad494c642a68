/**
 * Reads the quick starts of the packages in `clients/` from their READMEs: the documentation shows these lines, and a
 * test runs them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grammar } from './highlight.ts';

interface Client {
  readonly title: string;
  readonly folder: string;
  readonly grammar: Grammar;
}

export const clients = {
  typescript: {
    title: 'Node',
    folder: 'clients/typescript',
    grammar: 'typescript',
  },
  python: { title: 'Python', folder: 'clients/python', grammar: 'python' },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientWithQuickStart = keyof typeof clients;

/** @throws Error where the README has no such quick start */
export function clientQuickStart(client: ClientWithQuickStart) {
  const path = join(import.meta.dirname, '../../..', clients[client].folder, 'README.md');
  const section = readFileSync(path, 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith('Quick start'));
  const [install, program, run] = Array.from(
    (section ?? '').matchAll(/^```(?:sh|js|python)\n(.*?)^```$/gms),
    ([, block = '']) => block.trimEnd(),
  );
  const file = /^(?:node|python) (\S+)$/.exec(run ?? '')?.[1];
  if (install === undefined || program === undefined || run === undefined || file === undefined)
    throw new Error(`${path} has no quick start of three blocks: install, program, run`);
  // Two commands for a shell, and the program with the name of its file.
  return { install, program, run, file };
}
