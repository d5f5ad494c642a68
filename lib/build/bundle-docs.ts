/** Generates the responses of the describe-api function at build time, and adds them to its bundle. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The API document, the documentation pages, and the files that they use: one file for each path. */
export function bundleDocs(root: string, outdir: string): void {
  const printed = execFileSync(process.execPath, [join(root, 'lib/build/docs/print-responses.ts')], {
    encoding: 'utf8',
    maxBuffer: 16_777_216,
    // An empty environment, so that the same sources give the same responses.
    env: {},
  });
  const folder = join(outdir, 'responses');
  mkdirSync(folder, { recursive: true });
  for (const [path, response] of Object.entries(JSON.parse(printed) as Record<string, unknown>))
    writeFileSync(join(folder, fileName(path)), JSON.stringify(response));
}

/** `/docs/webhooks` is in `docs.webhooks.json`. */
function fileName(path: string): string {
  return `${path.slice(1).replaceAll('/', '.')}.json`;
}
