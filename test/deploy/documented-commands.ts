/** The commands of a page of the documentation. The run takes each one, and reports those that it did not take. */
import { page, shellBlocks } from '../support/docs/pages.ts';

export interface DocumentedCommands {
  /**
   * The first command that matches and was not taken yet.
   *
   * @throws Error where there is none: the page no longer has the command.
   */
  take(wanted: RegExp): string;
  /** The commands that were not taken yet. */
  readonly left: readonly string[];
}

/** The commands in the `sh` blocks of this page, in their order. */
export function commandsIn(path: string): DocumentedCommands {
  const left = shellBlocks(page(path)).flatMap(linesOf);
  return {
    left,
    take(wanted) {
      const index = left.findIndex((command) => wanted.test(command));
      const [command] = index === -1 ? [] : left.splice(index, 1);
      if (command === undefined) throw new Error(`${path} has no command ${wanted}`);
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
