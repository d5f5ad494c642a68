/** Makes the search index of the pages from their HTML: each heading, and each row that has an id. */
import { type Html, textOf } from './html.ts';
import type { Page } from './page.ts';
import { type PageName, pageNames, sitePages } from './site.ts';

/**
 * The title, the address relative to the gateway's, the place on the page, and further words by which the entry is
 * found.
 */
type SearchEntry = readonly [title: string, address: string, place: string, keywords: string];

const marked = /<(h[123]|th)(?: scope="row")?(?: id="([^"]*)")?(?: data-keywords="([^"]*)")?>(.*?)<\/\1>/gs;

export function searchIndex(pages: Readonly<Partial<Record<PageName, Page>>>): SearchEntry[] {
  return pageNames.flatMap((name) => {
    const { path, title: pageTitle } = sitePages[name];
    let heading: string = pageTitle;
    return Array.from(pages[name]?.main.html.matchAll(marked) ?? []).flatMap(
      ([, tag = '', id, keywords = '', content = '']): SearchEntry[] => {
        const title = textOf({ html: content.replace(/<span class="mark">.*?<\/span>/, '') } as Html).trim();
        const isHeading = tag !== 'th';
        if (isHeading) heading = title;
        const place = isHeading || heading === pageTitle ? pageTitle : `${pageTitle}: ${heading}`;
        if (tag === 'h1') return [[pageTitle, path, '', '']];
        return id === undefined ? [] : [[title, `${path}#${id}`, place, keywords]];
      },
    );
  });
}
