/** Generates the responses of the function describe-api at build time, and adds them to its bundle. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants as zlib } from 'node:zlib';

/**
 * Larger responses are compressed with Brotli at build time. The function would need a second for this, and gzip gives
 * larger results.
 */
const compressedCharactersMin = 1_000_000;

/** Writes one file for each path: the API document, the documentation pages, and the files that they load. */
export function bundleDocs(root: string, outdir: string): void {
  const printed = execFileSync(process.execPath, [join(root, 'lib/build/docs/print-responses.ts')], {
    encoding: 'utf8',
    maxBuffer: 33_554_432,
    // Uses an empty environment, so that the same sources always give the same responses.
    env: {},
  });
  const folder = join(outdir, 'responses');
  mkdirSync(folder, { recursive: true });
  for (const [path, response] of Object.entries(JSON.parse(printed) as Record<string, { body: string }>)) {
    // For example, `docs.webhooks.json` contains `/docs/webhooks`.
    const name = path.slice(1).replaceAll('/', '.');
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(response));
    if (response.body.length < compressedCharactersMin) continue;
    // Two levels below the maximum, compression takes a tenth of the time, and the result is only a few percent larger.
    const params = { [zlib.BROTLI_PARAM_QUALITY]: 9 };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(response.body, { params }));
  }
}
