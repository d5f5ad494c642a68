/**
 * The script of the API reference. It starts Scalar, which the page has already loaded, and turns off every feature that
 * calls another server.
 */
import { credentials } from './credentials.ts';

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly in: string; example?: unknown }[];
}

declare const Scalar: { createApiReference(selector: string, configuration: object): void };

async function start(): Promise<void> {
  const content = (await (await fetch('../openapi.json')).json()) as { paths: Record<string, object> };
  // Removes the examples of headers, because Scalar would send them: a changed request with the same `Idempotency-Key`
  // would be refused.
  for (const { parameters = [] } of Object.values(content.paths).flatMap<Operation>(Object.values))
    for (const parameter of parameters) if (parameter.in === 'header') delete parameter.example;
  Scalar.createApiReference('#main', {
    content,
    // Uses this page's own URL instead of the document's, because the page may send requests only to it.
    servers: [{ url: new URL('..', location.href).href.replace(/\/$/, '') }],
    generateOperationSlug: ({ operationId }: Operation) => operationId,
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { token: credentials().test_api_key ?? '' } },
    },
    hideModels: true,
    hideClientButton: true,
    hideDarkModeToggle: true,
    documentDownloadType: 'none',
    showDeveloperTools: 'never',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
  });
}

/** Attributes for screen readers that are missing or wrong in Scalar's request form. */
const corrections = [
  ['[role=combobox]:not([aria-expanded])', 'aria-expanded', 'false'],
  ['[role=textbox]:not([aria-label], [aria-labelledby])', 'aria-label', 'Code'],
  ['button[role=none]', 'role', 'button'],
  ['a[href$="/docs"]:not([aria-label])', 'aria-label', 'The team that runs this gateway'],
  ['button[aria-label="Copy code"]:not([aria-controls=""])', 'aria-controls', ''],
  ['.cm-scroller:not([tabindex="0"])', 'tabindex', '0'],
] as const;

new MutationObserver(() => {
  for (const [selector, name, value] of corrections)
    for (const element of document.querySelectorAll(selector)) element.setAttribute(name, value);
}).observe(document.body, { childList: true, subtree: true });
start();
