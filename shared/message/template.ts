/** Templates of bulk messages and one-time passwords: `{{name}}` is replaced once; placeholders inside values are not. */

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;

/** The distinct placeholder names, in order. */
export function placeholdersOf(template: string): string[] {
  return [...new Set(Array.from(template.matchAll(placeholder), (match) => match[1] ?? ''))];
}

type Rendered =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: readonly string[] };

/** The length of the result in UTF-16 code units, without rendering: it could have gigabytes. */
export function renderedLength(template: string, variables: Readonly<Record<string, string>>): number {
  let length = template.length;
  for (const [written, name = ''] of template.matchAll(placeholder)) {
    length += (Object.hasOwn(variables, name) ? (variables[name]?.length ?? 0) : 0) - written.length;
  }
  return length;
}

/** The text with each placeholder replaced, or all missing names. Other braces stay as they are. */
export function render(template: string, variables: Readonly<Record<string, string>>): Rendered {
  const missing = placeholdersOf(template).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0) return { ok: false, missing };
  return { ok: true, text: template.replace(placeholder, (_, name: string) => variables[name] ?? '') };
}

/** The text of a one-time password as long as the carrier gets it, for counting its segments before its code is derived. */
export function withSampleCode(text: string, otp: { readonly code_length: number } | undefined): string {
  // All codes of one length have the same segments: both encodings have all digits.
  const rendered = otp === undefined ? undefined : render(text, { code: '0'.repeat(otp.code_length) });
  return rendered?.ok === true ? rendered.text : text;
}
