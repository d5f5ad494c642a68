/** The project's own source files, and what each imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Files by their path from the root, packages by their name. */
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[];
}

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`. */
const importForms =
  /(?:^|\n)\s*(?:import|export)\s+(?<type>type\s)?(?:[^'";]*?\sfrom\s+)?'(?<from>[^']+)'|\bimport\(\s*'(?<lazy>[^']+)'\s*\)/g;

/** Our own names of files. */
const { imports }: { readonly imports: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

export function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const found = Array.from(text.matchAll(importForms), ({ groups }) => {
    const given = groups?.from ?? groups?.lazy ?? '';
    const own = imports[given]?.slice('./'.length);
    const target = given.startsWith('.') ? relative(root, join(root, dirname(path), given)) : (own ?? given);
    return { target, typeOnly: groups?.type !== undefined };
  });
  return { path, text, imports: found };
}

export function filesOf(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => read(join(folder, path)));
}

const sourceFolders = ['bin', 'lib', 'functions', 'dashboard', 'shared'];
export const files: readonly SourceFile[] = sourceFolders.flatMap(filesOf);
export const inFolder = (folder: string): SourceFile[] =>
  files.filter(({ path }) => path.startsWith(`${folder}/`));
/** They take the place of parts of packages in bundles. */
export const stubs = [
  'lib/build/sdk-stubs',
  'lib/build/dashboard-stubs',
  'test/support/simulation/network-stubs',
];

/** The imports of these files that are not allowed, in words. */
export function violations(
  of: readonly SourceFile[],
  allowed: (target: string, file: SourceFile, typeOnly: boolean) => boolean,
): string[] {
  return of.flatMap((file) =>
    file.imports
      .filter(({ target, typeOnly }) => !allowed(target, file, typeOnly))
      .map(({ target }) => `${file.path} imports ${target}`),
  );
}

export const ours = (target: string): boolean => /^(bin|lib|functions|dashboard|shared|test)\//.test(target);
export const within = (folders: readonly string[]) => (target: string) =>
  !ours(target) || folders.some((folder) => target.startsWith(`${folder}/`));

/** These files and all that they import, directly or not. */
export function reachedFrom(paths: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { target, typeOnly } of files.find((file) => file.path === path)?.imports ?? []) {
      if (!typeOnly) visit(target);
    }
  };
  for (const path of paths) visit(path);
  return reached;
}

/** Each cycle once, as the path along it. */
export function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
