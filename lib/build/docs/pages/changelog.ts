/** Versions of the API, and the changes of each release, from CHANGELOG.md. */
import { Marked, type Tokens } from 'marked';
import { versions } from '../../openapi/introduction.ts';
import { heading, html, prose } from '../html.ts';
import type { Page, Section } from '../page.ts';

/** @param markdown - the content of CHANGELOG.md: a title, then a heading of the second level for each release */
export function changelogPage(markdown: string): Page {
  const releases: (Section & { readonly sections: Section[] })[] = [];
  const marked = new Marked({
    renderer: {
      heading({ depth, text }: Tokens.Heading): string {
        if (depth < 2) return '';
        const name = text.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
        const release = releases.at(-1);
        if (depth > 2 && release !== undefined) {
          const id = `${release.id}.${name}`;
          release.sections.push({ id, title: text });
          return heading(3, id, text).html;
        }
        releases.push({ id: name, title: text, sections: [] });
        return heading(2, name, text).html;
      },
      /** The changelog names files of the repository, which the gateway does not serve. */
      link({ href, tokens }: Tokens.Link): string | false {
        return /^https?:/.test(href) ? false : this.parser.parseInline(tokens);
      },
    },
  });
  const changes = marked.parse(markdown, { async: false });
  return {
    sections: [{ id: versions.id, title: versions.title }, ...releases],
    main: html`<h1>Versions and changes</h1>
<section>${heading(2, versions.id, versions.title)}${prose(versions.text)}</section>
<section>${{ html: changes }}</section>`,
  };
}
