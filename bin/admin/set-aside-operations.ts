/** Operations on set-aside messages in dead-letter queues. They use the AWS credentials of the shell. */
import { GatewayError } from '../../shared/contract/errors.ts';
import { sqs } from '../../shared/platform/aws/clients.ts';
import {
  deleteSetAside,
  readSetAside,
  releaseSetAside,
  sendBackSetAside,
} from '../../shared/relay/set-aside-queues.sqs.ts';
import {
  maskedContent,
  processSetAside,
  type SetAsideMessage,
  workOf,
} from '../../shared/relay/set-aside-records.ts';
import type { AdminCommand, CommandResult, Session } from './command.ts';

export function addSetAsideOperations(call: AdminCommand): void {
  call
    .command('listSetAside')
    .description('lists the messages of the dead-letter queues, without phone numbers and texts')
    .run(async (session) =>
      asJson({ set_aside: await withMessages(session, async (messages) => messages.map(viewOf)) }),
    );
  call
    .command('showSetAside <id>')
    .description('shows a message with its content, in which phone numbers and texts are masked')
    .run(async (session, id: string) =>
      asJson(
        await withMessages(session, async (messages) => {
          const [message] = chosen(messages, [id]);
          return message && { ...viewOf(message), content: maskedContent(message.body) };
        }),
      ),
    );
  call
    .command('processSetAside [ids...]')
    .description(
      'does the remaining work of these messages, and removes the completed ones; you can repeat it',
    )
    .option('--all', 'all of them', false)
    .run(async (session, ids: readonly string[], { all }: { all: boolean }) => {
      if (all === ids.length > 0) throw new GatewayError('invalid_request', 'Give ids, or --all.');
      const processed = await withMessages(session, async (messages) => {
        const { queues } = session.gateway;
        const done = [];
        for (const message of all ? messages : chosen(messages, ids)) {
          const { removed, outcome } = await processSetAside(message, () =>
            sendBackSetAside(sqs(), queues, message),
          );
          if (removed) await deleteSetAside(sqs(), queues, message);
          done.push({ ...viewOf(message), removed, outcome });
        }
        return done;
      });
      const left = processed.filter(({ removed }) => !removed).length;
      return {
        ...asJson({ processed }),
        problem: left === 0 ? undefined : `${left} could not be processed.`,
      };
    });
}

function asJson(json: unknown): CommandResult {
  return { json, text: () => JSON.stringify(json, undefined, 2) };
}

/**
 * Receives the messages of all queues. Afterwards, even if the work fails, makes the messages that were not deleted visible
 * again.
 */
async function withMessages<Result>(
  { gateway: { queues } }: Session,
  work: (messages: readonly SetAsideMessage[]) => Promise<Result>,
): Promise<Result> {
  const messages = await readSetAside(sqs(), queues);
  try {
    return await work(messages);
  } finally {
    // The receipt of a deleted message is no longer valid.
    await Promise.allSettled(messages.map((message) => releaseSetAside(sqs(), queues, message)));
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
