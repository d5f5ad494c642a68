/** Rows that a person edited by mistake: what they concern, which alone may go wrong, and what may not even there. */
import { type Item, isEqualItem } from '../aws/attribute-values.ts';
import type { RowEdit } from '../outside/record.ts';
import { type Ended, sends } from './ended.ts';
import { ofHolds } from './holds.ts';
import { type Invariant, timeOf } from './invariant.ts';
import { limitsDuring } from './limits.ts';

const names = /\b(?:msg|otp|whd|whe|whr|bat)_\w+|\+\d{8,}|https:[^\s"\\,]+|client_[a-z0-9]+(?:-test)?/g;
const namesIn = (value: unknown): readonly string[] =>
  (typeof value === 'string' ? value : JSON.stringify(value)).match(names) ?? [];
const isClient = (name: string): boolean => name.startsWith('client_');

/** What holds also of what an edited row concerns: it fails, but on the safe side. */
const failsClosed: readonly string[] = [
  'the suppressed get nothing',
  'nothing of a disabled client is handed over',
  'no carrier gets a test message',
  'test and live data never meet',
  'each function makes only calls that its role permits',
  'no webhook is sent without a signature',
  'a count of a cap that cannot be read is full',
  'an emptied list of webhook secrets gets its first',
];
/** What is answered to a request concerns only what its path names. */
const ofAnswers: readonly string[] = [
  'what AWS refuses is answered 503',
  'nothing fails in a world without faults',
];

const dayMs = 86_400_000;
/** What comes of a row after it was put right, beside what was counted by it, or is tried again. */
const goneWithinMs = 3_600_000;
const lasting: readonly string[] = [
  'RateCounters',
  'MessageUsage',
  'Usage',
  'CountJournal',
  'Messages',
  'WebhookDeliveries',
  'WebhookEndpoints',
  'ClientSecrets',
];

/** A repeat under a key finds the row of the first request, which counts for a day by its time. */
const repeatedBy: readonly string[] = ['Batches', 'Messages', 'OneTimePasswords'];
const ofRepeats: readonly string[] = [
  'a repeat under a key is the same operation',
  'a key is of one request',
];

/** What becomes of everything when the row is right again; webhooks are tried for seven hours. */
const madeUpFor = (table: string, invariant: string): boolean =>
  invariant === 'every accepted message ends' ||
  (table === 'ClientSecrets' && invariant.startsWith('each state has its event'));

/** A row of these tables can break only these promises. */
const followsOnly: Readonly<Record<string, readonly string[]>> = {
  OtpHolds: Object.keys(ofHolds),
  OtpTraffic: Object.keys(ofHolds),
  ActivityLog: [
    'a webhook that has failed is an entry of the activity log',
    'what administrators make is an entry of the activity log',
    'each edit by hand is an entry of the activity log',
    'the entries of failed webhooks are spread over partitions',
    'administrators are told of a refusal by a spend cap',
  ],
};

interface Concern {
  /** Messages, persons, URLs … */
  readonly things: ReadonlySet<string>;
  /** In bodies of requests. */
  readonly references: readonly string[];
  /** Clients, with everything that they have. */
  readonly clients: ReadonlySet<string>;
  /** Clients of which counts may be wrong, and what is said of nothing narrower. */
  readonly counted: ReadonlySet<string>;
}

/** A count is read with each send; a send of that moment may have read the one before. */
const readWithinMs = 20_000;

export const ofEditedRows = {
  'no webhook is sent without a signature': {
    promise: '7.4',
    check: ({ stage: { record } }) =>
      record.posted.flatMap(({ webhookId, url, headers }) =>
        /^v1,\S{20}/.test(headers['webhook-signature'] ?? '')
          ? []
          : [`${webhookId} to ${url} has no signature`],
      ),
  },
  'a count of a cap that cannot be read is full': {
    promise: '10.2',
    check: ({ stage: { record } }) =>
      record.editedRows.flatMap(({ atMs, key, changes, restoredAtMs = Infinity }) =>
        Object.entries(changes).flatMap(([name, value]) => {
          const counter = String(Reflect.get(key.counter ?? {}, 'S'));
          const [, clientId = '', month = ''] = /^caps:(.+)\|(.+)/.exec(counter) ?? [];
          const [, cap = '', window = ''] = /^(messages|spend)_(d\d\d|month)$/.exec(name) ?? [];
          if (cap === '' || value === undefined || 'N' in value) return [];
          return record.asked.flatMap((asked) => {
            const { atMs: askedMs, answeredAtMs = Infinity, route, status } = asked;
            const date = new Date(askedMs).toISOString();
            const isIn = date.startsWith(window === 'month' ? month : `${month}-${window.slice(1)}`);
            if (asked.clientId !== clientId || status !== 202 || !sends.includes(route) || !isIn) return [];
            if (askedMs < atMs + readWithinMs || answeredAtMs > restoredAtMs) return [];
            const per = window === 'month' ? 'per_month' : 'per_day';
            const { high } = limitsDuring(record.edited, clientId, cap, per, atMs, answeredAtMs, Infinity);
            // A repeat of a request that was counted before needs no room.
            const isRepeat =
              asked.key !== undefined && record.asked.find(({ key }) => key === asked.key) !== asked;
            return high === Infinity || isRepeat
              ? []
              : [
                  `${clientId} had ${route} accepted at ${timeOf(askedMs)}, its count ${name} being ${JSON.stringify(value)}`,
                ];
          });
        }),
      ),
  },
  'an emptied list of webhook secrets gets its first': {
    promise: '7.6',
    check: ({ plan, stage: { record } }) =>
      record.editedRows.flatMap(
        ({ atMs, key, changes: { webhook_secrets: list }, restoredAtMs = Infinity }) => {
          if (list === undefined || !('L' in list) || list.L.length > 0 || plan.severity > 0) return [];
          const isLater = (one: RowEdit): boolean => one.atMs > atMs && isEqualItem(one.key, key);
          const editedAgainMs = record.editedRows.find(isLater)?.atMs ?? Infinity;
          return record.asked.flatMap(
            ({ clientId, route, status = 0, atMs: askedMs, answeredAtMs = Infinity }) =>
              clientId === Reflect.get(key.client_id ?? {}, 'S') &&
              route === 'rotateWebhookSecret' &&
              askedMs > atMs &&
              answeredAtMs < Math.min(restoredAtMs, editedAgainMs) &&
              ![200, 403, 429].includes(status)
                ? [`${clientId} has no webhook secret, and got none at ${timeOf(askedMs)}: ${status}`]
                : [],
          );
        },
      ),
  },
} as const satisfies Record<string, Invariant>;

/** What the row concerns: what it names, and what has it as its cause. */
function concernOf({ scene, stage }: Ended, { table, key, before }: RowEdit): Concern {
  const { database } = stage;
  const named = [...namesIn(before), ...namesIn(key)];
  const every = [...scene.clients, ...scene.testers, scene.onlyTester].map(({ clientId }) => clientId);
  const ofRow = named.filter(isClient);
  const withTokens = stage.record.asked.filter(({ route }) => route === 'adminApi' || route === 'issueToken');
  const whole = ['Clients', 'ClientSecrets', 'ApiKeys'].includes(table)
    ? ofRow.flatMap((id) => [id, `${id}-test`])
    : // With it the tokens are verified.
      table === 'SigningKeys'
      ? withTokens.map(({ clientId }) => clientId)
      : [];
  const isForAll = /"\*"|#/.test(JSON.stringify(key)) || ['CountJournal', 'SigningKeys'].includes(table);
  const own = named.filter((name) => /^(?:msg|bat|otp|whe)_/.test(name));
  const follows = (row: Item): boolean => {
    const text = JSON.stringify(row);
    return [...own, ...whole].some((name) => text.includes(name));
  };
  const following = ['Messages', 'WebhookDeliveries', 'OneTimePasswords', 'Batches', 'WebhookEndpoints']
    .flatMap((name) => database.rows(name).filter(follows))
    .flatMap(({ message_id, delivery_id, otp_id, batch_id, endpoint_id, url }) =>
      namesIn([message_id, delivery_id, otp_id, batch_id, endpoint_id, url]),
    );
  // A repeat of its request under the same key needs it, too.
  const references = database
    .rows('Messages')
    .filter(follows)
    .flatMap(({ reference = {} }) => ('S' in reference ? [`"reference":"${reference.S}"`] : []));
  const urls = scene.clients.flatMap((one) => (whole.includes(one.clientId) ? [one.webhookUrl] : []));
  return {
    things: new Set([...named.filter((name) => !isClient(name)), ...following, ...urls]),
    references: [
      ...references,
      // A batch has the messages of its request only when these are stored.
      ...(table === 'Batches' ? ofRow.map((id) => `sendBulkSms /api/v1/sms/bulk of ${id} `) : []),
      // A repeat under the key of a resend of many finds its row.
      ...(table === 'WebhookDeliveries'
        ? ofRow.map((id) => `resendWebhookDeliveries /api/v1/webhook-deliveries/resend of ${id} `)
        : []),
    ],
    clients: new Set(whole),
    counted: new Set([...ofRow, ...(isForAll ? every : [])]),
  };
}

/** Whether a violation is of something that a row concerns which a person edited by mistake. */
export function excusedByEdits(ended: Ended): (invariant: string, what: string) => boolean {
  const { plan, settledAtMs, stage } = ended;
  // An attribute that the gateway does not know changes nothing.
  const edits = stage.record.editedRows.filter(({ isDrawn, changes }) => isDrawn && !('remark' in changes));
  const concerns = edits.map((edit) => ({ edit, ...concernOf(ended, edit) }));
  return (invariant, what) => {
    if (failsClosed.includes(invariant)) return false;
    const isAnswer = ofAnswers.includes(invariant);
    const about = namesIn(isAnswer ? (what.split(' was answered')[0] ?? '') : what);
    const isOfThings = about.some((name) => !isClient(name));
    const times = momentsIn(what);
    return concerns.some(({ edit, things, clients, counted, references }) => {
      const { atMs, table, restoredAtMs = Infinity } = edit;
      if (restoredAtMs < Infinity && madeUpFor(table, invariant)) return false;
      if (repeatedBy.includes(table) && (ofRepeats.includes(invariant) || what.endsWith('(5.6)')))
        return true;
      if (times.every((one) => one < atMs - plan.skewMaxMs)) return false;
      if (!lasting.includes(table) && times.every((one) => one > restoredAtMs + goneWithinMs)) return false;
      const only = followsOnly[table];
      if (only !== undefined && !only.includes(invariant)) return false;
      if (only?.includes(invariant) && about.some((name) => counted.has(name))) return true;
      if (isAnswer && references.some((one) => what.includes(one))) return true;
      return about.some(
        (name) => things.has(name) || clients.has(name) || (!isOfThings && !isAnswer && counted.has(name)),
      );
    });
  };

  /** When it was, if the time of day tells it: a moment that may be any, otherwise. */
  function momentsIn(what: string): number[] {
    const startMs = plan.startAt.getTime();
    const midnightMs = startMs - (startMs % dayMs);
    const times = what.match(/(?<!T)\d\d:\d\d:\d\d\.\d{3}/g) ?? [];
    if (times.length === 0 || settledAtMs - startMs > dayMs) return [Number.NaN];
    return times.map((time) => {
      const atMs = midnightMs + Date.parse(`1970-01-01T${time}Z`);
      return atMs < startMs - plan.skewMaxMs ? atMs + dayMs : atMs;
    });
  }
}
