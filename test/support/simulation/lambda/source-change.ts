/** A deliberate fault in the code: a text of a source file that is replaced. */
export interface SourceChange {
  /** Relative to the project's root. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

/** @throws if the text is not there exactly once, or would be replaced by itself */
export function changedText(contents: string, { file, replace, by }: SourceChange): string {
  const parts = contents.split(replace);
  if (parts.length !== 2) throw new Error(`${file} has this ${parts.length - 1} times, not once: ${replace}`);
  if (by === replace) throw new Error(`this is replaced by itself: ${replace}`);
  return parts.join(by);
}
