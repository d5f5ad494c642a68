/** How a command gets at the gateway, and what it gives back. */
import type { AdminDependencies } from '../../shared/admin/admin-dependencies.ts';

export interface Session {
  readonly dependencies: AdminDependencies;
  /** Who the activity log will name. */
  readonly actor: string;
  /** Prints a line at once, where the command prints for a person. */
  readonly report: (line: string) => void;
}

export interface CommandAnswer {
  readonly json: unknown;
  readonly text: () => string;
  /** What was not done, where it was done in part; the command ends with status 1 then. */
  readonly problem?: string | undefined;
}

export interface Runner {
  /** An action for commander, called with the command's arguments, then its options. */
  run<Given extends unknown[]>(
    work: (session: Session, ...given: Given) => Promise<CommandAnswer>,
  ): (...given: unknown[]) => Promise<void>;
}
