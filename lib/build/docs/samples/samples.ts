/** The samples of an operation in every language. */
import type { OpenApiDocument } from '../../openapi/document.ts';
import type { Grammar } from '../highlight.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { pythonSample } from './python.ts';
import { type SampleRequest, sampleRequest } from './sample-request.ts';
import { typescriptSample } from './typescript.ts';

interface Language {
  readonly title: string;
  readonly grammar: Grammar;
  readonly write: (request: SampleRequest) => string;
}

/**
 * The languages in the order in which they are shown. The pages follow; `test/clients/samples.ts` runs each language's
 * samples.
 */
export const languages = {
  curl: { title: 'curl', grammar: 'bash', write: curlSample },
  typescript: { title: 'TypeScript', grammar: 'typescript', write: typescriptSample },
  python: { title: 'Python', grammar: 'python', write: pythonSample },
  go: { title: 'Go', grammar: 'go', write: goSample },
} as const satisfies Readonly<Record<string, Language>>;

export type LanguageName = keyof typeof languages;

export type Sample = ReturnType<typeof samplesOf>[number];

/**
 * Returns one sample for each operation and language.
 *
 * @throws Error for an operation without the examples that they need
 */
export function samplesOf(document: Pick<OpenApiDocument, 'paths'>) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const request = sampleRequest(method, path, operation);
      return (Object.keys(languages) as LanguageName[]).map((language) => ({
        operationId: operation.operationId,
        language,
        source: languages[language].write(request),
      }));
    }),
  );
}
