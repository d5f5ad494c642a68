/** Sends one message of either channel: checks the request and stores the message in one write; the relay does the rest. */
import type * as z from 'zod/mini';
import { assertMaySend, permissionsOf } from '../../client/permission.ts';
import type { Channel } from '../../contract/channels.ts';
import { type Operation, requireCaller } from '../../operation/operation.ts';
import { newId } from '../../platform/ids.ts';
import type { Message } from '../message.ts';
import { acceptedView } from '../message-response.ts';
import { dryRunOf, isDryRun, refusalsOf } from './dry-run.ts';
import { assertMaySendLegs, type WantedLeg } from './fallback-fields.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import type { MessageOrigin } from './new-message.ts';
import type { SendDependencies } from './send-dependencies.ts';
import { parseSend } from './send-fields.ts';

/** The fields of either request that its checks need. */
interface OneRequest {
  readonly to: string;
  readonly from?: string | undefined;
  readonly scheduled_at?: Date | undefined;
  readonly fallback?: readonly WantedLeg[] | undefined;
}

/** What is different between the channels. */
interface ChannelSend<Request extends OneRequest> {
  readonly channel: Channel;
  readonly schema: z.ZodMiniType<Request>;
  readonly newMessage: (origin: MessageOrigin, request: Request, now: Date) => Message;
}

export function sendOne<Request extends OneRequest>(
  { messages, allowanceOf, stageCountries, sendersOf, ...forDryRun }: SendDependencies,
  { channel, schema, newMessage }: ChannelSend<Request>,
): Operation {
  return async (request) => {
    const { clientId, client } = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const { data: wanted, assertTimely } = parseSend(schema, request);
    const [allowance, select] = await Promise.all([allowanceOf(clientId, request), sendersOf(clientId)]);
    const assertAllowed = (): void => {
      const permissions = permissionsOf(client, stageCountries);
      assertMaySend(permissions, channel, wanted.to, wanted.from);
      assertMaySendLegs(permissions, wanted.fallback, { channel, recipient: wanted.to, from: wanted.from });
    };
    const messageWithId = (messageId: string): Message =>
      newMessage({ messageId, clientId, select }, wanted, request.now);
    const keyed = {
      prefix: 'msg',
      endpoint: `${channel}/send`,
      clientId,
      key,
      meaning: () => wanted,
    } as const;
    if (isDryRun(request)) {
      assertTimely();
      const message = messageWithId(newId('msg', request.now));
      const checks = [assertAllowed, () => allowance?.check([message])];
      const refusals = await refusalsOf(messages, request, keyed, checks);
      return dryRunOf(message, forDryRun, refusals);
    }
    const { entry, replayed } = await createOnce(messages, request, {
      ...keyed,
      allowance,
      build: async (messageId) => {
        assertTimely();
        assertAllowed();
        const message = messageWithId(messageId);
        await allowance?.take([message]);
        return message;
      },
    });
    return accepted(acceptedView(entry), replayed, { message_id: entry.message_id });
  };
}
