/** The hidden command that completion asks for clients: it prints the name and the id of each, one in a line. */
import type { Command } from 'commander';
import { listClientNames } from '../../shared/admin/find-client.ts';
import type { Runner } from './command.ts';

export const clientNamesCommand = 'client-names';

export function addClientNamesCommand(program: Command, { run }: Runner): void {
  program.command(clientNamesCommand, { hidden: true }).action(
    run(async ({ dependencies }) => {
      const { clients } = await listClientNames(dependencies);
      // A name of several lines would be offered as several.
      const words = clients.flatMap(({ client_id, name }) => [name.replaceAll(/\s+/g, ' '), client_id]);
      return { json: { clients }, text: () => words.join('\n') };
    }),
  );
}
