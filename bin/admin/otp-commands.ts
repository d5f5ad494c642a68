/**
 * `otp …`: shows and releases the holds of one-time passwords: few of those that a client sent to a country were
 * verified.
 */
import { clientIdOf } from '../../shared/admin/find-client.ts';
import { allowOtps, listOtpHolds } from '../../shared/admin/otp-holds.ts';
import type { AdminCommand } from './command.ts';
import { type ListOptions, listResult, withLimit } from './pages.ts';
import { textTable } from './print.ts';

export function addOtpCommands(program: AdminCommand): void {
  const otp = program.command('otp').description('holds of one-time passwords');
  withLimit(otp.command('holds'))
    .description('lists the clients and countries whose one-time passwords are held')
    .option('--test', 'of the test data of clients', false)
    .run(async ({ dependencies }, { test, ...options }: ListOptions & { test: boolean }) =>
      listResult(
        'otp_holds',
        (page) => listOtpHolds({ ...dependencies, mode: test ? 'test' : 'live' }, page),
        options,
        (rows) =>
          textTable(
            rows,
            ['client_id', 'country', 'held_at', ['why', 'summary']],
            'No one-time passwords are held.',
          ),
      ),
    );
  otp
    .command('allow')
    .description('allows one-time passwords of a client to a country again, within 20 seconds')
    .argument('<client>', 'its id or name')
    .argument(
      '<country>',
      'such as FR; ZZ is numbers of no single country, such as satellite phones; * ends a hold of all countries',
    )
    .option('--always', 'never hold them again; without it, later ones can be held again', false)
    .addHelpText('after', '\nExample:\n  $ npm run admin -- otp allow "Web shop" FR')
    .run(
      async ({ dependencies, actor }, client: string, country: string, { always }: { always: boolean }) => {
        const clientId = await clientIdOf(dependencies, client);
        const allowed = await allowOtps(dependencies, actor, { clientId, country, always });
        return {
          json: allowed,
          text: () =>
            `One-time passwords of ${allowed.client_id} to ${allowed.country} are allowed${always ? ' permanently' : ''}.`,
        };
      },
    );
}
