/** Makes the folder of the templates that the test files of one run share. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function start(): void {
  process.env.TEMPLATES_FOLDER = mkdtempSync(join(tmpdir(), 'messaging-gateway-templates-'));
}
