/** Replaces `lib/build/bundle.ts` in the package, which already contains the functions' bundles. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packaged = join(import.meta.dirname, 'functions');

export function bundleFunctions() {
  return {
    /** Returns the folder to upload for a function, with these files added. The handler is `index.handler`. */
    folder(functionName: string, files: Readonly<Record<string, string>> = {}): string {
      const folder = join(packaged, functionName);
      return Object.keys(files).length === 0 ? folder : withFiles(folder, files);
    },
  };
}

/**
 * Returns a copy of the folder with these files, because an installed package must not be changed. The copy is deleted when
 * this process ends, after the CDK has copied it.
 */
function withFiles(folder: string, files: Readonly<Record<string, string>>): string {
  const copy = mkdtempSync(join(tmpdir(), 'messaging-gateway-function-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(folder, copy, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
  return copy;
}
