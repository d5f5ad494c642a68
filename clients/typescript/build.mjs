/** Builds the package twice, with the tools of the repository: for `import` (tsc) and for `require` (esbuild). */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const folder = import.meta.dirname;
const tsc = join(folder, '../../node_modules/.bin/tsc');

rmSync(join(folder, 'dist'), { recursive: true, force: true });
execFileSync(tsc, ['--project', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' });
// The compiler rewrites the endings of imports in code, but not in declarations.
for (const path of globSync('dist/esm/**/*.d.ts', { cwd: folder })) {
  const declarations = readFileSync(join(folder, path), 'utf8');
  writeFileSync(join(folder, path), declarations.replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
buildSync({
  entryPoints: globSync('dist/esm/**/*.js', { cwd: folder }),
  absWorkingDir: folder,
  outbase: 'dist/esm',
  outdir: 'dist/cjs',
  format: 'cjs',
  platform: 'neutral',
  target: 'es2022',
});
// The same declarations, which a compiler takes for CommonJS because of the nearest package.json.
cpSync(join(folder, 'dist/esm'), join(folder, 'dist/cjs'), {
  recursive: true,
  filter: (path) => !path.endsWith('.js'),
});
writeFileSync(join(folder, 'dist/cjs/package.json'), '{"type":"commonjs"}\n');
