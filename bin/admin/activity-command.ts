/** `activity`: shows the changes by clients, administrators and the gateway. */
import { Option } from 'commander';
import { type ActivityView, actorOf, listActivity, retentionRange } from '../../shared/admin/activity.ts';
import { readClientNames } from '../../shared/admin/find-client.ts';
import { activityKinds, isSpread } from '../../shared/contract/activity-kinds.ts';
import { type AdminCommand, clientOf, type Session } from './command.ts';
import { timeForms, timeOf } from './options.ts';
import { textTable } from './print.ts';
import { type ListOptions, moreText, readPages, withLimit } from './read-pages.ts';

const shownByDefault = 50;
/** Kinds that are hidden by default. Their number grows with the messages, so that they would hide the changes. */
const leftOut = activityKinds.filter(isSpread);

export function addActivityCommand(program: AdminCommand): void {
  withLimit(program.command('activity'), String(shownByDefault))
    .description(`shows changes, the newest first; ${leftOut.join(', ')} only with their --kind`)
    .option(
      '--by <name>',
      'only what this administrator or client did (id or name), or this user of the shell',
    )
    .option('--client <client>', 'only about this client (id or name)')
    .option('--since <time>', `only from this time on, ${timeForms}`)
    .option('--until <time>', 'only until this time')
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(activityKinds))
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm run admin -- activity --by petra --since 7d\n  $ npm run admin -- activity --client "Web shop" --kind limits_set',
    )
    .run(
      async (
        session,
        {
          limit = shownByDefault,
          ...options
        }: ListOptions & {
          readonly by?: string;
          readonly client?: string;
          readonly since?: string;
          readonly until?: string;
          readonly kind?: (typeof activityKinds)[number];
        },
      ) => {
        const { ctx } = session;
        const now = ctx.clock();
        const whole = retentionRange(ctx);
        const query = {
          since: options.since === undefined ? whole.since : timeOf('since', options.since, now),
          until: options.until === undefined ? whole.until : timeOf('until', options.until, now),
          clientId: options.client && (await clientOf(session, options.client)),
          kind: options.kind ?? activityKinds.filter((kind) => !isSpread(kind)),
        };
        const ofActors = await Promise.all(
          (await actorsOf(ctx, options.by)).map((actor) =>
            readPages('entries', (page) => listActivity(ctx, { ...query, ...page, actor }), {
              limit,
            }),
          ),
        );
        const all = ofActors
          .flatMap(({ rows }) => rows)
          .toSorted((one, other) => (one.entry_id < other.entry_id ? 1 : -1));
        const listed = {
          rows: all.slice(0, limit),
          more: all.length > limit || ofActors.some(({ more }) => more),
        };
        const nameOf = await readClientNames(ctx);
        return {
          json: { entries: listed.rows, more: listed.more },
          text: () => [activityTable(listed.rows, nameOf), ...moreText(listed)],
        };
      },
    );
}

/** Returns the possible names of an actor in the log. A user of the shell is logged as `petra (shell)`. */
async function actorsOf(
  ctx: Session['ctx'],
  name: string | undefined,
): Promise<readonly (string | undefined)[]> {
  if (name === undefined) return [undefined];
  const actor = await actorOf(ctx, name);
  return actor === name ? [name, `${name} (shell)`] : [actor];
}

function activityTable(
  entries: readonly ActivityView[],
  nameOf: (clientId: string) => string | undefined,
): string {
  const named = (id: string | undefined): string | undefined => (id === undefined ? id : (nameOf(id) ?? id));
  /** Replaces the actor's id, with which the sentence begins, by the name. */
  const withName = (summary: string, actor = ''): string =>
    actor !== '' && summary.startsWith(`${actor} `)
      ? `${named(actor)}${summary.slice(actor.length)}`
      : summary;
  return textTable(
    entries,
    [
      'at',
      // The actor is unknown if a table was edited in the console.
      [
        'by',
        ({ actor, summary }) => named(actor) ?? (summary.startsWith('Someone ') ? 'someone' : 'the gateway'),
      ],
      ['what', ({ summary, actor }) => withName(summary, actor)],
      ['client', ({ client_id }) => named(client_id)],
      'kind',
    ],
    'Nothing of this kind was recorded in this time.',
  );
}
