/** `npm run clients:generate`: writes what the clients in `clients/` have from the API document. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateClients } from './generate-clients.ts';

const root = join(import.meta.dirname, '../..');
for (const [path, text] of await generateClients()) writeFileSync(join(root, path), text);
