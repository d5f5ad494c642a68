/** Makes a webhook use all its retries without the long delays: each retry is brought forward. */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Delivery, deliveryIdOf } from '../../../shared/webhook/delivery.ts';
import { documentClient, eventually, gateway, sqsClient } from '../gateway/gateway.ts';

/** Returns the delivery after its last retry has failed. Sends one queue message for each retry, so that a slow machine has no more to do. */
export async function failForGood(messageId: string, event: string): Promise<Delivery> {
  const { tables, queues } = gateway();
  const TableName = tables.webhook_deliveries;
  const dynamo = documentClient();
  const sqs = sqsClient();
  let broughtForward: string | undefined;
  try {
    return await eventually(
      async () => {
        const { Item } = await dynamo.send(
          new GetCommand({ TableName, Key: { delivery_id: deliveryIdOf({ messageId, event }) } }),
        );
        const delivery = Item as Delivery | undefined;
        if (delivery?.state === 'failed' && delivery.alert_pending === undefined) return delivery;
        if (delivery?.state !== 'retry_scheduled' || delivery.revision === broughtForward) return undefined;
        await bringForward(delivery);
        return undefined;
      },
      { everyMilliseconds: 300 },
    );
  } finally {
    dynamo.destroy();
    sqs.destroy();
  }

  async function bringForward(delivery: Delivery): Promise<void> {
    const revision = randomUUID();
    try {
      await dynamo.send(
        new UpdateCommand({
          TableName,
          Key: { delivery_id: delivery.delivery_id },
          UpdateExpression: 'SET attempt_due_at = :now, revision = :next',
          ConditionExpression: 'revision = :seen',
          ExpressionAttributeValues: {
            ':now': new Date().toISOString(),
            ':seen': delivery.revision,
            ':next': revision,
          },
        }),
      );
    } catch (error) {
      // A worker changed the row first: read it again.
      if (error instanceof ConditionalCheckFailedException) return;
      throw error;
    }
    const MessageBody = JSON.stringify({ delivery_id: delivery.delivery_id });
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queues.webhook_retries,
        MessageBody,
        MessageGroupId: delivery.client_id,
      }),
    );
    broughtForward = revision;
  }
}
