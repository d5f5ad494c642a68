/** Sends one message of either channel: checks the request and stores the message in one write; the relay does the rest. */
import type * as z from 'zod/mini';
import {
  assertChannelsOn,
  assertMaySend,
  channelsOffOf,
  permissionsOf,
  stageCountriesOf,
} from '../../client/sending-permissions.ts';
import { type Channel, stageCarriersOf } from '../../contract/channels.ts';
import type { sendRequest } from '../../contract/function-uses.ts';
import { countryOf } from '../../contract/phone-number.ts';
import { expectedPrice, readPrices } from '../../contract/prices.ts';
import { dynamoAllRows, dynamoRowReader } from '../../edited-table/row-editor.dynamo.ts';
import { overridesFrom } from '../../limit/read-overrides.ts';
import { type AllowanceOf, allowancesFrom } from '../../limit/take-from-caps.ts';
import { type Operation, requireCaller } from '../../operation/operation.ts';
import { describeUnknown, unknownIn } from '../../operation/unknown-fields.ts';
import { dynamo } from '../../platform/aws/clients.ts';
import { systemClock } from '../../platform/clock.ts';
import { type Context, contextOf } from '../../platform/context.ts';
import type { EnvironmentFor } from '../../platform/env.ts';
import { newId } from '../../platform/ids.ts';
import { countMetric, log } from '../../platform/log.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { type SelectSender, type SendersOf, senderReader } from '../../sender/select-sender.ts';
import type { Message } from '../message.ts';
import { acceptedView } from '../message-response.ts';
import { createMessage, readMessage } from '../store/messages.dynamo.ts';
import { dynamoSuppressedAmong, type SuppressedAmong } from '../suppression/suppression-store.dynamo.ts';
import { dryRunOf, isDryRun, type PriceOf, refusalsOf } from './dry-run.ts';
import { assertMaySendLegs, channelsOf, type WantedLeg } from './fallback-fields.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import { parseSend } from './send-fields.ts';

interface OneRequest {
  readonly to: string;
  readonly from?: string | undefined;
  readonly scheduled_at?: Date | undefined;
  readonly fallback?: readonly WantedLeg[] | undefined;
}

/** The differences between the channels. */
interface ChannelSend<Request extends OneRequest> {
  readonly channel: Channel;
  readonly schema: z.ZodMiniType<Request>;
  readonly newMessage: (origin: MessageOrigin, request: Request, now: Date) => Message;
}

export function sendOne<Request extends OneRequest>(
  dependencies: SendDependencies,
  { channel, schema, newMessage }: ChannelSend<Request>,
): Operation {
  const { allowanceOf, stageCountries, channelsOff, sendersOf } = dependencies;
  const messages = keyedMessages(dependencies);
  return async (request) => {
    const { clientId, client } = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const { data: wanted, assertTimely } = parseSend(schema, request);
    const [allowance, senders] = await Promise.all([allowanceOf(clientId, request), sendersOf(clientId)]);
    const assertAllowed = (): void => {
      assertChannelsOn(channelsOff, channelsOf({ channel, fallback: wanted.fallback }));
      const permissions = permissionsOf(client, stageCountries, senders);
      assertMaySend(permissions, channel, wanted.to, wanted.from);
      assertMaySendLegs(permissions, wanted.fallback, { channel, recipient: wanted.to, from: wanted.from });
    };
    const messageWithId = (messageId: string): Message =>
      newMessage({ messageId, clientId, select: senders.select }, wanted, request.now);
    const keyed = {
      prefix: 'msg',
      endpoint: `${channel}/send`,
      clientId,
      key,
      canonicalRequest: () => wanted,
    } as const;
    if (isDryRun(request)) {
      assertTimely();
      const message = messageWithId(newId('msg', request.now));
      const checks = [assertAllowed, () => allowance?.check([message])];
      const refusals = await refusalsOf(messages, keyed, checks);
      const unknownFields = describeUnknown(unknownIn(schema, request.body), 'field');
      return dryRunOf(message, dependencies, { refusals, unknownFields });
    }
    const { entry, replayed } = await createOnce(messages, request, {
      ...keyed,
      looksFirst: allowance !== undefined,
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

/** Returns the messages as records of Idempotency-Keys. */
export function keyedMessages(ctx: Context<'MESSAGES_TABLE' | 'RETENTION_DAYS'>) {
  return {
    create: (message: Message) => createMessage(ctx, message),
    get: (messageId: string) => readMessage(ctx, messageId),
  };
}

export interface MessageOrigin {
  readonly messageId: string;
  readonly clientId: string;
  readonly select: SelectSender;
}

interface NewMessage extends MessageOrigin {
  readonly channel: Channel;
  readonly recipient: string;
  readonly expiresAt: Date;
}

interface SendRequest {
  readonly from?: string | undefined;
  readonly reference?: string | undefined;
  readonly webhook_url?: string | undefined;
  readonly scheduled_at?: Date | undefined;
}

/**
 * Returns the fields of every new message: client, recipient, sender, first state and end of the validity period. Its
 * state is `scheduled` if the request has a time, else `queued`.
 */
export function newMessage(
  { messageId, clientId, channel, recipient, expiresAt, select }: NewMessage,
  request: SendRequest,
  now: Date,
): Omit<Message, 'type'> {
  const createdAt = now.toISOString();
  const { from, reference, webhook_url, scheduled_at } = request;
  const country = countryOf(recipient);
  return {
    message_id: messageId,
    client_id: clientId,
    channel,
    recipient,
    ...withoutUndefined({ country, from, reference, webhook_url }),
    ...select({ channel, country, from }),
    created_at: createdAt,
    ...(scheduled_at === undefined
      ? { status: 'queued', queued_at: createdAt }
      : { status: 'scheduled', scheduled_at: scheduled_at.toISOString() }),
    expires_at: expiresAt.toISOString(),
  };
}

export interface SendDependencies extends Context<'MESSAGES_TABLE' | 'RETENTION_DAYS'> {
  readonly allowanceOf: AllowanceOf;
  /** The countries of clients without their own list; undefined for all. */
  readonly stageCountries?: readonly string[] | undefined;
  readonly channelsOff?: readonly Channel[] | undefined;
  readonly sendersOf: SendersOf;
  /** These two are for a dry run, which shows the price, and if the recipient is suppressed. */
  readonly priceOf: PriceOf;
  readonly suppressedAmong: SuppressedAmong;
  /** Accepts URLs that this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
}

export function sendDependencies(
  env: EnvironmentFor<typeof sendRequest>,
  webhookUrl: z.ZodMiniType<string>,
): SendDependencies {
  const prices = readPrices(env.PRICES_FILE);
  return {
    ...contextOf(env),
    allowanceOf: allowancesFrom(env, overridesFrom(env).capsOf),
    stageCountries: stageCountriesOf(env),
    channelsOff: channelsOffOf(env),
    sendersOf: senderReader(
      {
        ...dynamoRowReader(dynamo(), env.SENDERS_TABLE),
        ...dynamoAllRows(dynamo(), env.SENDERS_TABLE),
      },
      { sms: env.STAGE_SMS_SENDER, carriers: stageCarriersOf(env) },
      systemClock,
      (invalid) => {
        log.warn('invalid sender ignored', { ...invalid });
        countMetric('InvalidRow');
      },
    ),
    priceOf: (message) => expectedPrice(prices, message),
    suppressedAmong: dynamoSuppressedAmong(dynamo(), env.SUPPRESSIONS_TABLE),
    webhookUrl,
  };
}
