/** `otp …`: one-time passwords that are held because few of a client's to a country were verified. */
import type { Command } from 'commander';
import { clientIdOf } from '../../shared/admin/find-client.ts';
import { allowOtps, listOtpHolds } from '../../shared/admin/otp-holds.ts';
import type { Runner } from './command.ts';
import { textTable } from './print.ts';

export function addOtpCommands(program: Command, { run }: Runner): void {
  const otp = program.command('otp').description('one-time passwords that are held');
  otp
    .command('holds')
    .description('lists the clients and countries whose one-time passwords are held')
    .action(
      run(async ({ dependencies }) => {
        const holds = await listOtpHolds(dependencies);
        return {
          json: { otp_holds: holds },
          text: () =>
            textTable(
              holds,
              [
                { title: 'client id', of: (hold) => hold.client_id },
                { title: 'country', of: (hold) => hold.country },
                { title: 'held at', of: (hold) => hold.held_at },
                { title: 'why', of: (hold) => hold.summary },
              ],
              'No one-time passwords are held.',
            ),
        };
      }),
    );
  otp
    .command('allow')
    .description('lets one-time passwords of a client go to a country again, within 20 seconds')
    .argument('<client>', 'its id or name')
    .argument('<country>', 'as FR; ZZ is numbers of no single country, such as satellite phones')
    .option('--always', 'never hold them again; without it, later ones are judged anew', false)
    .addHelpText('after', '\nExample:\n  $ npm run admin -- otp allow "Web shop" FR')
    .action(
      run(
        async ({ dependencies, actor }, client: string, country: string, { always }: { always: boolean }) => {
          const clientId = await clientIdOf(dependencies, client);
          const allowed = await allowOtps(dependencies, actor, { clientId, country, always });
          return {
            json: allowed,
            text: () =>
              `One-time passwords of ${allowed.client_id} to ${allowed.country} are allowed${always ? ' for good' : ''}.`,
          };
        },
      ),
    );
}
