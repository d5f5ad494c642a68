/**
 * The pages of the documentation: their addresses, and how they link to each other. `published.ts` makes each of them.
 */

/** The prefix of links in the pages' HTML; each page replaces it by its relative path to the gateway's root. */
const root = '~/';

/** The pages in the order of the navigation. */
export const sitePages = {
  start: { path: '/docs', title: 'Quick start' },
  reference: { path: '/docs/reference', title: 'API reference' },
  webhooks: { path: '/docs/webhooks', title: 'Webhooks' },
  errors: { path: '/docs/errors', title: 'Errors' },
  limits: { path: '/docs/limits', title: 'Limits and usage' },
  testing: { path: '/docs/testing', title: 'Testing' },
  changelog: { path: '/docs/changelog', title: 'Versions and changes' },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly title: string }>>;

export type PageName = keyof typeof sitePages;

export const pageNames = Object.keys(sitePages) as PageName[];

/** Returns a link to a page, for use in `href` on any page. */
export function linkTo(page: PageName, id?: string): string {
  return `${root}${sitePages[page].path.slice(1)}${id === undefined ? '' : `#${id}`}`;
}

/**
 * Returns the relative path from a page to the gateway's root, so that links work below any prefix and behind any
 * proxy.
 */
export function pathToRoot(page: PageName): string {
  return '../'.repeat(sitePages[page].path.split('/').length - 2) || './';
}

/** Returns the page's HTML with links relative to the page. */
export function withLinks(source: string, page: PageName): string {
  return source.replaceAll(`href="${root}`, `href="${pathToRoot(page)}`);
}
