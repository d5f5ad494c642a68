/**
 * Makes the responses of describe-api. They are generated at build time, because generating them at start-up took a
 * third longer.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { openApiDocument } from '../openapi/document.ts';
import { documentHeaders, type Page, pageResponse } from './page.ts';
import { changelogPage } from './pages/changelog.ts';
import { errorsPage } from './pages/errors.ts';
import { limitsPage } from './pages/limits.ts';
import { startPage } from './pages/start.ts';
import { testingPage } from './pages/testing.ts';
import { webhooksPage } from './pages/webhooks.ts';
import { type ReceiverLanguage, receiverSource, receivers } from './receivers.ts';
import { referencePage } from './reference/reference-page.ts';
import { searchIndex } from './search-index.ts';
import { type PageName, pageNames, sitePages } from './site.ts';

/** Returns every response by its path. */
export function published(): Readonly<Record<string, ApiResponse>> {
  const document = openApiDocument();
  const changelog = readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8');
  const pages: Readonly<Record<PageName, Page>> = {
    start: startPage(document),
    reference: referencePage(document),
    webhooks: webhooksPage(document),
    errors: errorsPage(document),
    limits: limitsPage(document),
    testing: testingPage(),
    changelog: changelogPage(changelog),
  };
  return {
    '/openapi.json': {
      status: 200,
      // The document is the same for everyone, so any page may read it.
      headers: {
        'Content-Type': 'application/json',
        ...documentHeaders,
        'Access-Control-Allow-Origin': '*',
      },
      body: JSON.stringify(document),
    },
    ...Object.fromEntries(pageNames.map((name) => [sitePages[name].path, pageResponse(name, pages[name])])),
    '/docs/search-index': {
      status: 200,
      headers: { 'Content-Type': 'application/json', ...documentHeaders },
      body: JSON.stringify(searchIndex(pages)),
    },
    ...Object.fromEntries(
      (Object.keys(receivers) as ReceiverLanguage[]).map((language) => [
        `/docs/${receivers[language].file}`,
        {
          status: 200,
          headers: { 'Content-Type': 'text/plain; charset=utf-8', ...documentHeaders },
          body: receiverSource(language),
        },
      ]),
    ),
  };
}
