/** Programs that receive and verify webhooks: files that are shown, served and tested as they are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grammar } from './highlight.ts';
import type { LanguageName } from './samples/samples.ts';

interface Receiver {
  readonly title: string;
  readonly file: string;
  /** The command that runs the file. */
  readonly run: string;
  readonly grammar: Grammar;
}

export const receivers = {
  typescript: { title: 'Node', file: 'verify.mjs', run: 'node', grammar: 'typescript' },
  python: { title: 'Python', file: 'verify.py', run: 'python3', grammar: 'python' },
  go: { title: 'Go', file: 'verify.go', run: 'go run', grammar: 'go' },
} as const satisfies Partial<Readonly<Record<LanguageName, Receiver>>>;

export type ReceiverLanguage = keyof typeof receivers;

export function receiverSource(language: ReceiverLanguage): string {
  return readFileSync(join(import.meta.dirname, 'receivers', receivers[language].file), 'utf8');
}
