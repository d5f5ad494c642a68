/** Defines a command, its session and its result. `program.ts` decides the exit status. */
import { Command } from 'commander';
import type { AdminContext } from '../../shared/admin/admin-context.ts';
import { clientIdOf, ofMode } from '../../shared/admin/find-client.ts';
import { type Mode, modeOf } from '../../shared/contract/mode.ts';
import type { ConnectedGateway } from './gateway-connection.ts';

export interface Session {
  readonly ctx: AdminContext;
  readonly gateway: ConnectedGateway;
  /** Live or test data. */
  readonly mode: Mode;
  /** The actor in the activity log. */
  readonly actor: string;
  /** Prints a line immediately, unless the output is JSON. */
  readonly report: (line: string) => void;
  /** Prints a line about the progress to standard error. */
  readonly progress: (line: string) => void;
}

export interface CommandResult {
  readonly json: unknown;
  /** One text, or several that are separated by an empty line; absent if the command has already written its output. */
  readonly text?: () => string | readonly string[];
  /** A sentence on the part of the work that was not done. The exit status is then 1. */
  readonly problem?: string | undefined;
}

export class AdminCommand extends Command {
  /** Runs the work of a command in a session, and prints the result. */
  private readonly execute: (work: (session: Session) => Promise<CommandResult>) => Promise<void>;

  constructor(execute: AdminCommand['execute'], name?: string) {
    super(name);
    this.execute = execute;
  }

  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(this.execute, name);
  }

  /** @param work - called with the session, the arguments and the options */
  run<Given extends unknown[]>(work: (session: Session, ...given: Given) => Promise<CommandResult>): this {
    // Commander passes the command itself as the last argument.
    return this.action((...given) =>
      this.execute((session) => work(session, ...(given.slice(0, -1) as Given))),
    );
  }
}

/** Returns the id of the client that a command names, or the id of the client's test data. */
export async function clientOf({ ctx, mode }: Session, idOrName: string): Promise<string> {
  return ofMode(await clientIdOf(ctx, idOrName), mode === 'test');
}

/** Returns a sentence on which data was searched: live or test data. */
export function searchedData({ mode }: Session, clientId?: string): string {
  return (clientId === undefined ? mode : modeOf(clientId)) === 'test'
    ? 'Searched: test data. Live data is searched without --test.'
    : 'Searched: live data. --test searches the data of test keys.';
}
