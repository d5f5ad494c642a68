/**
 * Says in one line that `npm ci` has not run. It is plain JavaScript, because it also runs with a Node that cannot run
 * TypeScript: the project's own Node is among the dependencies.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const minimumMajor = 24;
const installed = existsSync(join(import.meta.dirname, '..', 'node_modules', '.package-lock.json'));
if (!installed || Number.parseInt(process.versions.node, 10) < minimumMajor) {
  process.stderr.write(
    'Run `npm ci` first: it installs the dependencies, and the Node that this project uses.\n',
  );
  process.exit(1);
}
