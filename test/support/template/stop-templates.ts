/** Removes the folder that start-templates.ts made. */
import { rmSync } from 'node:fs';

export default function stop(): void {
  const folder = globalThis.templatesFolder;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
