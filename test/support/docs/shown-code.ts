/** The code of the documentation pages, as a reader copies it from the page that the gateway serves. */
import { textOf } from '../../../lib/build/docs/html.ts';
import type { LanguageName } from '../../../lib/build/docs/samples/samples.ts';
import { type PageName, sitePages } from '../../../lib/build/docs/site.ts';
import { served } from './served.ts';

interface ShownCode {
  /** The attributes of the element around the code. */
  readonly operationId: string | undefined;
  readonly step: string | undefined;
  readonly language: LanguageName | undefined;
  readonly source: string;
}

/** Every block of code on a page that is a sample of an operation or a step of the quick start. */
export async function shownCode(baseUrl: string, page: PageName): Promise<ShownCode[]> {
  const { body: text } = await served(`${baseUrl}${sitePages[page].path}`);
  const blocks = text.matchAll(
    /<(?:div|details)([^>]* data-(?:sample|step)="[^>]*)>.*?<code>(.*?)<\/code>/gs,
  );
  return Array.from(blocks, ([, attributes = '', code = '']) => {
    const attribute = (name: string): string | undefined =>
      new RegExp(` data-${name}="([^"]*)"`).exec(attributes)?.[1];
    return {
      operationId: attribute('sample'),
      step: attribute('step'),
      language: attribute('language') as LanguageName | undefined,
      source: textOf({ html: code }),
    };
  });
}
