/** What a command gets, and what it ends with. `program.ts` runs it, and decides the exit status. */
import type { AdminDependencies } from '../../shared/admin/admin-dependencies.ts';

export interface Session {
  readonly dependencies: AdminDependencies;
  /** The actor in the activity log. */
  readonly actor: string;
  /** Prints a line at once, unless the output is JSON. */
  readonly report: (line: string) => void;
}

export interface CommandResult {
  readonly json: unknown;
  readonly text: () => string;
  /** What was not done, if the command was done only in part; the exit status is then 1. */
  readonly problem?: string | undefined;
}

export interface Runner {
  /** An action for commander: called with the command's arguments, then its options. */
  run<Given extends unknown[]>(
    work: (session: Session, ...given: Given) => Promise<CommandResult>,
  ): (...given: unknown[]) => Promise<void>;
}
