/** Sends a webhook to a client's queue, once: a call that is repeated could send it twice. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ForeignCredentials } from '../../platform/aws/clients.ts';
import { queueText } from '../../platform/aws/queue-text.ts';
import { type AwsSenders, queueUrlOf } from './send-to-aws.ts';

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
