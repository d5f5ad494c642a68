/** In the package: the code of functions, which was bundled when the package was made. Takes the place of `lib/build/bundle.ts`. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packaged = join(import.meta.dirname, 'functions');

export function bundleFunctions() {
  return {
    /** The folder to upload for a function, with these files added; its handler is `index.handler`. */
    folder(functionName: string, files: Readonly<Record<string, string>> = {}): string {
      const folder = join(packaged, functionName);
      return Object.keys(files).length === 0 ? folder : withFiles(folder, files);
    },
  };
}

/** A copy for this process, because packages are not written to. The CDK has its own copy of an asset by then. */
function withFiles(folder: string, files: Readonly<Record<string, string>>): string {
  const copy = mkdtempSync(join(tmpdir(), 'messaging-gateway-function-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(folder, copy, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
  return copy;
}
