/** Makes HTML from values: every text is escaped, unless it is already of type Html. */

/** Text that is already escaped. */
export type Html = { readonly html: string };

/** A template tag that escapes its values, except Html; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
  return {
    html: parts.map((part, index) => part + (index < values.length ? text(values[index]) : '')).join(''),
  };
}

function text(value: unknown): string {
  if (value === undefined || value === null || value === false) return '';
  if (Array.isArray(value)) return value.map(text).join('');
  if (typeof value === 'object' && 'html' in value) return String(value.html);
  return String(value).replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Returns the text of a piece of HTML, without its tags. */
export function textOf({ html: source }: Html): string {
  return source
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(x[0-9a-f]+|\d+);/gi, (_, mark: string) => String.fromCodePoint(Number(`0${mark}`)))
    .replaceAll(/&(lt|gt|amp|quot);/g, (_, name: keyof typeof named) => named[name]);
}

const named = { lt: '<', gt: '>', amp: '&', quot: '"' } as const;

/** Renders the Markdown that the texts use: paragraphs, `**bold**`, `` `code` `` and `[links](~/docs)`. */
export function prose(markdown: string): Html {
  const paragraphs = markdown.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>\n`);
  return html`${paragraphs}`;
}

export function inline(markdown: string): Html {
  const parts = markdown.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/);
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith('**')) return html`<b>${part.slice(2, -2)}</b>`;
    const [, name, target] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    return name === undefined ? part : html`<a href="${target}">${inline(name)}</a>`;
  })}`;
}

/**
 * Makes a heading that can be linked to, and that the search finds.
 *
 * @param keywords - more words by which it is found
 */
export function heading(level: 2 | 3, id: string, title: string | Html, keywords = ''): Html {
  const tag: Html = { html: `h${level}` };
  return html`<${tag} id="${id}"${keywords !== '' && html` data-keywords="${keywords}"`}><a href="#${id}">${title}</a></${tag}>`;
}

export interface Column {
  readonly title: string;
  /** Whether the cells are shown as narrow text in a quiet color. */
  readonly quiet?: boolean;
  /** Whether the cells repeat the column's title where rows are stacked, because their text is not clear without it. */
  readonly repeated?: boolean;
}

export interface Row {
  /** The id of the row, with which it can be linked to and found by the search. */
  readonly id?: string;
  readonly name: Html | string;
  /** More words by which the search finds it. */
  readonly keywords?: string;
  /** A mark after the name. */
  readonly mark?: string | undefined;
  /** The cells of all columns but the first. */
  readonly cells: readonly (Html | string)[];
}

/** Makes a table whose rows are stacked on a narrow screen; its first column names the row. */
export function table(columns: readonly Column[], rows: readonly Row[]): Html {
  return html`<div class="table"><table><thead><tr>${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${rowName(row)}${row.cells.map((cell, index) => dataCell(cell, columns[index + 1]))}</tr>`,
  )}</tbody></table></div>`;
}

/** A row that is named by a piece of code. */
export function codeRow(id: string, code: unknown, ...cells: Row['cells']): Row {
  return { id, name: html`<code>${code}</code>`, cells };
}

function dataCell(cell: Html | string, column: Column | undefined): Html {
  const title = column?.repeated === true && html`<span class="repeated">${column.title}: </span>`;
  return html`<td${column?.quiet === true && html` class="quiet"`}>${title}${cell}</td>`;
}

function rowName({ id, name, keywords, mark }: Row): Html {
  const marked = mark !== undefined && html` <span class="mark">${mark}</span>`;
  if (id === undefined) return html`<th scope="row">${name}${marked}</th>`;
  return html`<th scope="row" id="${id}"${keywords !== undefined && html` data-keywords="${keywords}"`}><a href="#${id}">${name}</a>${marked}</th>`;
}
