/** `activity`: shows the changes by clients, administrators and the gateway. */
import { readClientNames } from '../../shared/admin/find-client.ts';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import type { AdminCommand } from './command.ts';
import { addFieldOptions, callOperation, fieldsIn, fieldsOf, without } from './operation-command.ts';
import { textTable } from './print.ts';
import { type ListOptions, listResult, withLimit } from './read-pages.ts';

const shownByDefault = 50;
const fields = without(fieldsOf('listActivity'), ['limit', 'cursor']);

export function addActivityCommand(program: AdminCommand): void {
  const activity = withLimit(program.command('activity'), String(shownByDefault));
  addFieldOptions(activity, fields);
  activity
    .description('shows changes, the newest first; the others only with their --kind')
    .addHelpText(
      'after',
      '\nThe actor is an administrator or a client (id or name), or a user of the shell, such as "petra (shell)".\n\nExamples:\n  $ npm run admin -- activity --actor "petra (shell)" --since 7d\n  $ npm run admin -- activity --client "Web shop" --kind limits_set',
    )
    .run(async (session, { limit = shownByDefault, ...options }: ListOptions) => {
      const { ctx } = session;
      const query = { kind: 'changes', ...fieldsIn(options, fields, ctx.clock()) };
      const nameOf = await readClientNames(ctx);
      return listResult<'entries', RowOf<'listActivity', 'entries'>>(
        'entries',
        ({ cursor, ...page }) =>
          callOperation(session, 'listActivity', {}, { ...query, ...page, ...(cursor && { cursor }) }),
        { limit },
        (entries) => activityTable(entries, (id) => (id === undefined ? id : (nameOf(id) ?? id))),
      );
    });
}

function activityTable(
  entries: readonly RowOf<'listActivity', 'entries'>[],
  named: (id: string | undefined) => string | undefined,
): string {
  return textTable(
    entries,
    [
      'at',
      // The actor is unknown if a table was edited in the console.
      [
        'by',
        ({ actor, summary }) => named(actor) ?? (summary.startsWith('Someone ') ? 'someone' : 'the gateway'),
      ],
      ['what', 'summary'],
      ['client', ({ client_id }) => named(client_id)],
      'kind',
    ],
    'Nothing of this kind was recorded in this time.',
  );
}
