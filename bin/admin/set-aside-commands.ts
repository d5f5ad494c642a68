/** `set-aside …`: shows what was set aside in dead-letter queues, and processes it again. */
import { GatewayError } from '../../shared/contract/errors.ts';
import { dynamo, sqs } from '../../shared/platform/aws/clients.ts';
import { setAsideGateway } from '../../shared/relay/set-aside-gateway.sqs.ts';
import {
  maskedContent,
  processSetAside,
  type SetAsideGateway,
  type SetAsideMessage,
  type SetAsideWork,
  workOf,
} from '../../shared/relay/set-aside-records.ts';
import type { AdminCommand, Session } from './command.ts';
import { textFields, textTable } from './print.ts';

const meanings: Readonly<Record<SetAsideWork['kind'], string>> = {
  unreadable_record: 'A row that was no valid message: correct it, then process this',
  refused_entry: 'A service refused what followed: correct the row or the code, then process this',
  lost_records: 'Records of a stream that failed until their last retry',
  dead_letter: 'Its consumer failed several times: remove the cause, then process this',
  unknown: 'Nothing that the gateway sent',
};

export function addSetAsideCommands(program: AdminCommand): void {
  const setAside = program
    .command('set-aside')
    .description('what no retry could do: messages of the dead-letter queues');
  setAside
    .command('list')
    .description('lists them, without phone numbers and texts')
    .run(async (session) => {
      const rows = await withMessages(session, async (messages) => messages.map(viewOf));
      const text = (): string =>
        textTable(
          rows,
          ['id', 'queue', 'since', ['message', 'message_id'], ['what', ({ kind }) => meanings[kind]]],
          'Nothing is set aside.',
        );
      return { json: { set_aside: rows }, text };
    });
  setAside
    .command('show')
    .description('shows one with its content, in which phone numbers and texts are masked')
    .argument('<id>', 'as list prints it')
    .run(async (session, id: string) => {
      const shown = await withMessages(session, async (messages) => {
        const [message] = chosen(messages, [id]);
        return message && { ...viewOf(message), content: maskedContent(message.body) };
      });
      return {
        json: shown,
        text: () => {
          const { content, ...fields } = shown ?? {};
          return `${textFields(fields)}\n\n${JSON.stringify(content, undefined, 2)}`;
        },
      };
    });
  setAside
    .command('process')
    .description(
      'does what is still due of them, and removes those that are done; a repetition does nothing new',
    )
    .argument('[ids...]', 'as list prints them')
    .option('--all', 'all of them', false)
    .addHelpText('after', '\nExit status 1: something could not be processed yet.')
    .run(async (session, ids: readonly string[], { all }: { all: boolean }) => {
      if (all === ids.length > 0) throw new GatewayError('invalid_request', 'Give ids, or --all.');
      const rows = await withMessages(session, async (messages, gateway) => {
        const done = [];
        for (const message of all ? messages : chosen(messages, ids)) {
          const { removed, outcome } = await processSetAside(gateway, message);
          if (removed) await gateway.queues.get(message.queue)?.delete(message);
          done.push({ ...viewOf(message), removed, outcome });
        }
        return done;
      });
      const left = rows.filter(({ removed }) => !removed).length;
      return {
        json: { processed: rows },
        text: () =>
          textTable(
            rows,
            ['id', ['removed', ({ removed }) => (removed ? 'yes' : 'no')], 'outcome'],
            'Nothing is set aside.',
          ),
        problem: left === 0 ? undefined : `${left} could not be processed.`,
      };
    });
}

/** Reads all queues, and shows what is not deleted to others again, also after a failure. */
async function withMessages<Result>(
  { gateway: { tables, queues }, dependencies: { retentionDays } }: Session,
  work: (messages: readonly SetAsideMessage[], gateway: SetAsideGateway) => Promise<Result>,
): Promise<Result> {
  const gateway = setAsideGateway(dynamo(), sqs(), { tables, queues, retentionDays });
  const read = await Promise.all([...gateway.queues.values()].map((queue) => queue.read()));
  const messages = read.flat().toSorted((one, other) => (one.sentAt < other.sentAt ? -1 : 1));
  try {
    return await work(messages, gateway);
  } finally {
    // The receipt of a deleted message is no longer valid.
    await Promise.allSettled(messages.map((message) => gateway.queues.get(message.queue)?.release(message)));
  }
}

function chosen(messages: readonly SetAsideMessage[], ids: readonly string[]): SetAsideMessage[] {
  return ids.map((id) => {
    const found = messages.find(({ messageId }) => messageId === id);
    if (found === undefined) throw new GatewayError('not_found', `Nothing with the id ${id} is set aside.`);
    return found;
  });
}

function viewOf(message: SetAsideMessage) {
  const work = workOf(message);
  return {
    id: message.messageId,
    queue: message.queue,
    kind: work.kind,
    since: 'since' in work ? work.since : message.sentAt,
    message_id: 'messageId' in work ? (work.messageId ?? null) : null,
  };
}
