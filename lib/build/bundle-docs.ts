/** Generates the responses of the describe-api function at build time, and adds them to its bundle. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants as zlib } from 'node:zlib';

/**
 * Responses larger than this are compressed by Brotli at build time. Compressing such a response in the function would take
 * a second, and gzip gives larger results.
 */
const compressedCharactersMin = 1_000_000;

/** Writes the API document, the documentation pages, and the files that they use: one file for each path. */
export function bundleDocs(root: string, outdir: string): void {
  const printed = execFileSync(process.execPath, [join(root, 'lib/build/docs/print-responses.ts')], {
    encoding: 'utf8',
    maxBuffer: 33_554_432,
    // Uses an empty environment, so that the same sources give the same responses.
    env: {},
  });
  const folder = join(outdir, 'responses');
  mkdirSync(folder, { recursive: true });
  for (const [path, response] of Object.entries(JSON.parse(printed) as Record<string, { body: string }>)) {
    // `/docs/webhooks` is in `docs.webhooks.json`.
    const name = path.slice(1).replaceAll('/', '.');
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(response));
    if (response.body.length < compressedCharactersMin) continue;
    // Two levels below the maximum, the compression takes a tenth of the time and gives a few percent more bytes.
    const params = { [zlib.BROTLI_PARAM_QUALITY]: 9 };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(response.body, { params }));
  }
}
