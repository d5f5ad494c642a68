import { rmSync } from 'node:fs';

export default function stop(): void {
  const folder = process.env.TEMPLATES_FOLDER;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
