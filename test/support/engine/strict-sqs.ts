/** SQS with the rules of its API reference, which the emulator does not enforce, in front of queues in memory. */
import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

interface StrictSqsOptions {
  readonly deliver: (queueUrl: string, entry: SendMessageBatchRequestEntry) => void;
  /** A message that is sent in a call of its own. */
  readonly deliverAlone?: (body: string) => void;
  /** Bodies that are refused for a reason of the test's own. */
  readonly refuses?: ((body: string) => boolean) | undefined;
  /** Returns true if an invalid entry fails the whole call, false if only the entry fails. */
  readonly refusesCall?: (() => boolean) | undefined;
  /** An error of the whole call. */
  readonly fault?: (() => Error | undefined) | undefined;
}

const entriesMax = 10;
const bytesMax = 1_048_576;
/** Any character that the API reference does not name. */
const badCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

export function refusal(name: string): Error {
  return Object.assign(new Error(`${name}: refused`), {
    name,
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
  });
}

export function strictSqs(options: StrictSqsOptions): SQSClient {
  /** Why SQS refuses the entry. */
  function faultOf({ MessageBody = '', MessageGroupId, DelaySeconds = 0 }: SendMessageBatchRequestEntry) {
    if (MessageBody === '') return 'MissingParameter';
    if (badCharacter.test(MessageBody) || options.refuses?.(MessageBody) === true)
      return 'InvalidMessageContents';
    if (MessageGroupId !== undefined && !/^[!-~]{1,128}$/.test(MessageGroupId))
      return 'InvalidParameterValue';
    if (!Number.isInteger(DelaySeconds) || DelaySeconds < 0 || DelaySeconds > 900)
      return 'InvalidParameterValue';
    return Buffer.byteLength(MessageBody) > bytesMax ? 'InvalidParameterValue' : undefined;
  }

  async function send(command: unknown) {
    if (command instanceof SendMessageCommand) return options.deliverAlone?.(command.input.MessageBody ?? '');
    if (!(command instanceof SendMessageBatchCommand)) throw new Error('not a call of this test');
    const { QueueUrl = '', Entries = [] } = command.input;
    const fault = options.fault?.();
    if (fault !== undefined) throw fault;
    if (Entries.length > entriesMax) throw refusal('TooManyEntriesInBatchRequest');
    if (Entries.length === 0) throw refusal('EmptyBatchRequest');
    if (new Set(Entries.map(({ Id }) => Id)).size < Entries.length) throw refusal('BatchEntryIdsNotDistinct');
    const bytes = Entries.reduce((sum, { MessageBody = '' }) => sum + Buffer.byteLength(MessageBody), 0);
    if (bytes > bytesMax) throw refusal('BatchRequestTooLong');
    const judged = Entries.map((entry) => ({ entry, Code: faultOf(entry) }));
    const [bad] = judged.filter(({ Code }) => Code !== undefined);
    if (bad?.Code !== undefined && options.refusesCall?.() === true) throw refusal(bad.Code);
    for (const { entry, Code } of judged) if (Code === undefined) options.deliver(QueueUrl, entry);
    return {
      Failed: judged.flatMap(({ entry, Code }) =>
        Code === undefined ? [] : [{ Id: entry.Id, SenderFault: true, Code }],
      ),
    };
  }

  return { send } as unknown as SQSClient;
}
