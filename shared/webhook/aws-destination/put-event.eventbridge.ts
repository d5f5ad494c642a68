/** Puts a webhook on a client's event bus, once. EventBridge answers 200 also where it refuses the event. */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { ForeignCredentials } from '../../platform/aws/clients.ts';
import { parseArn } from './aws-destination.ts';
import type { AwsSenders } from './send-to-aws.ts';

/** EventBridge refused the entry, with its own code. */
class EventRefused extends Error {
  readonly $metadata = { httpStatusCode: 400 };

  constructor(code: string, message: string) {
    super(message);
    this.name = code;
  }
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
    if (FailedEntryCount !== 0 || EventId === undefined)
      throw new EventRefused(ErrorCode ?? 'EventRefused', ErrorMessage);
    return { status: $metadata.httpStatusCode ?? 0, requestId: $metadata.requestId, id: EventId };
  };
}
