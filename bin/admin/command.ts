/** A command, the session that it receives, and its result. `program.ts` decides the exit status. */
import { Command } from 'commander';
import type { AdminDependencies } from '../../shared/admin/admin-dependencies.ts';
import { clientIdOf, ofMode } from '../../shared/admin/find-client.ts';
import { type Mode, modeOf } from '../../shared/contract/mode.ts';
import type { ConnectedGateway } from './connection.ts';

export interface Session {
  readonly dependencies: AdminDependencies;
  readonly gateway: ConnectedGateway;
  /** The mode of the data that the command is about. */
  readonly mode: Mode;
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
  /** A text, or several with an empty line between them; absent where the command has written its output itself. */
  readonly text?: () => string | readonly string[];
  /** The part of the work that was not done; the exit status is then 1. */
  readonly problem?: string | undefined;
}

/** Does the work of a command in a session, and prints its result. */
export type Execute = (work: (session: Session) => Promise<CommandResult>) => Promise<void>;

export class AdminCommand extends Command {
  private readonly execute: Execute;

  constructor(execute: Execute, name?: string) {
    super(name);
    this.execute = execute;
  }

  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(this.execute, name);
  }

  /** @param work - what the command does, with its arguments, then its options */
  run<Given extends unknown[]>(work: (session: Session, ...given: Given) => Promise<CommandResult>): this {
    // Commander passes the command itself as the last argument.
    return this.action((...given) =>
      this.execute((session) => work(session, ...(given.slice(0, -1) as Given))),
    );
  }
}

/** Finds the client of a command, or its test data. */
export async function clientOf({ dependencies, mode }: Session, idOrName: string): Promise<string> {
  return ofMode(await clientIdOf(dependencies, idOrName), mode === 'test');
}

/** Says which data a command has searched: the data of this client, or of all. */
export function searchedData({ mode }: Session, clientId?: string): string {
  return (clientId === undefined ? mode : modeOf(clientId)) === 'test'
    ? 'Searched: test data. Live data is searched without --test.'
    : 'Searched: live data. --test searches the data of test keys.';
}
