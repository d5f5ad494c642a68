/**
 * Sends a webhook to a client's queue or event bus, without retries: a repeated call could send it twice. EventBridge
 * answers 200 even if it refuses the event.
 */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type ForeignCredentials, foreignEventBridge, foreignSqs } from '../../platform/aws/clients.ts';
import { queueText } from '../../platform/aws/queues.sqs.ts';
import { parseArn } from '../aws-destination.ts';
import { type AwsSenders, queueUrlOf } from './send-to-aws.ts';

/** Returns the senders of this process. They keep each client of the SDK until its credentials expire. */
export function awsSenders(): AwsSenders {
  return {
    sendMessage: sqsSendMessage(perCredentials(foreignSqs)),
    putEvent: eventBridgePutEvent(perCredentials(foreignEventBridge)),
  };
}

function perCredentials<Client>(make: (region: string, credentials: ForeignCredentials) => Client) {
  const clients = new WeakMap<ForeignCredentials, Client>();
  return (region: string, credentials: ForeignCredentials): Client => {
    const client = clients.get(credentials) ?? make(region, credentials);
    clients.set(credentials, client);
    return client;
  };
}

export function sqsSendMessage(
  clientFor: (region: string, credentials: ForeignCredentials) => SQSClient,
): AwsSenders['sendMessage'] {
  return async (credentials, { queueArn, body, attributes, order }, abortSignal) => {
    const { region, queueUrl } = queueUrlOf(queueArn);
    const response = await clientFor(region, credentials).send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        // Changes nothing: the text was escaped before it was signed.
        MessageBody: queueText(body),
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, value]) => [
            name,
            { DataType: 'String', StringValue: value },
          ]),
        ),
        MessageGroupId: order?.groupId,
        MessageDeduplicationId: order?.deduplicationId,
      }),
      { abortSignal },
    );
    const { httpStatusCode = 0, requestId } = response.$metadata;
    return { status: httpStatusCode, requestId, id: response.MessageId ?? '' };
  };
}

export function eventBridgePutEvent(
  clientFor: (region: string, credentials: ForeignCredentials) => EventBridgeClient,
): AwsSenders['putEvent'] {
  return async (credentials, { busArn, source, detailType, detail }, abortSignal) => {
    const { region } = parseArn(busArn, 'events');
    const {
      Entries = [],
      FailedEntryCount,
      $metadata,
    } = await clientFor(region, credentials).send(
      new PutEventsCommand({
        Entries: [{ EventBusName: busArn, Source: source, DetailType: detailType, Detail: detail }],
      }),
      { abortSignal },
    );
    const [{ EventId, ErrorCode, ErrorMessage = '' } = {}] = Entries;
    if (FailedEntryCount !== 0 || EventId === undefined) {
      // EventBridge refused the entry, with its own code.
      const refusal = { name: ErrorCode ?? 'EventRefused', $metadata: { httpStatusCode: 400 } };
      throw Object.assign(new Error(ErrorMessage), refusal);
    }
    return { status: $metadata.httpStatusCode ?? 0, requestId: $metadata.requestId, id: EventId };
  };
}
