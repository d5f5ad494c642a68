/** The README's own commands, section by section: each is run as it stands there, and none is left out unseen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');

export interface ReadmeCommands {
  /**
   * The first command that fits and was not taken yet.
   *
   * @throws Error where there is none: the README no longer tells how.
   */
  take(wanted: RegExp): string;
  /** What nobody took so far. */
  readonly left: readonly string[];
}

/** The commands in the `sh` blocks of the sections with these headings, in their order. */
export function readmeCommands(...headings: readonly string[]): ReadmeCommands {
  const left = headings.flatMap((heading) => {
    const [, section] = readme.split(`\n## ${heading}\n`);
    if (section === undefined) throw new Error(`README.md has no section ${heading}`);
    const [text = ''] = section.split('\n## ');
    return Array.from(text.matchAll(/```sh\n([^`]*)```/g), ([, block = '']) => block).flatMap(linesOf);
  });
  return {
    left,
    take(wanted) {
      const index = left.findIndex((command) => wanted.test(command));
      const [command] = index === -1 ? [] : left.splice(index, 1);
      if (command === undefined)
        throw new Error(`README.md has no command ${wanted} in ${headings.join(', ')}`);
      return command;
    },
  };
}

function linesOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
