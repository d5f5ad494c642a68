/**
 * `call …`: runs an operation of the admin API by its name. It also runs operations on set-aside messages, which are not in
 * the API.
 */
import { type AdminApiRouteName, adminApiRoutes } from '../../shared/contract/admin-api-routes.ts';
import type { AdminCommand } from './command.ts';
import { addOperation } from './operation-command.ts';
import { addSetAsideOperations } from './set-aside-operations.ts';

export function addCallCommand(program: AdminCommand): void {
  const call = program
    .command('call')
    .description('calls an operation of the admin API, and prints its response as JSON')
    .addHelpText(
      'after',
      `
An option is a field of the operation. null removes a value; a list has commas. A client is its id or its name.

Examples:
  $ npm run admin -- call setLimits --help
  $ npm run admin -- call changeClient "Web shop" --countries GB,FR --senders ACME,otp,whatsapp
  $ npm run admin -- call changeClient "Web shop" --countries null
  $ npm run admin -- call rotateClientSecret "Web shop" --overlap-hours 0
  $ npm run admin -- call allowOtps "Web shop" FR
  $ npm run --silent admin -- call listUsage --interval month --group-by client --csv > usage.csv
  $ npm run admin -- call processSetAside --all`,
    );
  for (const name of Object.keys(adminApiRoutes) as AdminApiRouteName[]) addOperation(call, name, name);
  addSetAsideOperations(call);
}
