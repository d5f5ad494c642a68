/** The session that a command receives, and its result. `program.ts` runs the command, and decides the exit status. */

import type { AdminDependencies } from '../../shared/admin/admin-dependencies.ts';
import type { ConnectedGateway } from './connection.ts';

export interface Session {
  readonly dependencies: AdminDependencies;
  readonly gateway: ConnectedGateway;
  /** The actor in the activity log. */
  readonly actor: string;
  /** Prints a line at once, unless the output is JSON. */
  readonly report: (line: string) => void;
  /** Writes a part of a long output at once. */
  readonly write: (text: string) => void;
  /** Prints a line about the progress beside the output, on standard error. */
  readonly progress: (line: string) => void;
}

export interface CommandResult {
  readonly json: unknown;
  /** Absent where the command has written its output itself. */
  readonly text?: () => string;
  /** The part of the work that was not done; the exit status is then 1. */
  readonly problem?: string | undefined;
}

export interface Runner {
  /** Makes an action for commander, which calls it with the command's arguments, then its options. */
  run<Given extends unknown[]>(
    work: (session: Session, ...given: Given) => Promise<CommandResult>,
  ): (...given: unknown[]) => Promise<void>;
}
