/** Makes the folder of the templates that the test files of one run share; who names one for it keeps it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

declare global {
  var templatesFolder: string | undefined;
}

export default function start(): void {
  if (process.env.TEMPLATES_FOLDER !== undefined) return;
  globalThis.templatesFolder = mkdtempSync(join(tmpdir(), 'messaging-gateway-templates-'));
  process.env.TEMPLATES_FOLDER = globalThis.templatesFolder;
}
