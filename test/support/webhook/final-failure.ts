/** Makes a webhook use all its retries without the long delays: each retry is brought forward. */
import { randomUUID } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Delivery, deliveryIdOf } from '../../../shared/webhook/delivery.ts';
import { documentClient, eventually, gateway, sqsClient } from '../gateway/gateway.ts';

/** Returns the delivery after its last retry has failed. */
export async function failForGood(messageId: string, event: string): Promise<Delivery> {
  const { tables, queues } = gateway();
  const TableName = tables.webhook_deliveries;
  const dynamo = documentClient();
  const sqs = sqsClient();
  try {
    return await eventually(
      async () => {
        const { Item } = await dynamo.send(
          new GetCommand({ TableName, Key: { delivery_id: deliveryIdOf({ messageId, event }) } }),
        );
        const delivery = Item as Delivery | undefined;
        if (delivery?.state === 'failed' && delivery.alert_pending === undefined) return delivery;
        if (delivery?.state !== 'retry_scheduled') return undefined;
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
    await dynamo
      .send(
        new UpdateCommand({
          TableName,
          Key: { delivery_id: delivery.delivery_id },
          UpdateExpression: 'SET attempt_due_at = :now, revision = :next',
          ConditionExpression: 'revision = :seen',
          ExpressionAttributeValues: {
            ':now': new Date().toISOString(),
            ':seen': delivery.revision,
            ':next': randomUUID(),
          },
        }),
      )
      // A worker changed the row first: read it again.
      .catch(() => undefined);
    const QueueUrl = delivery.lane === 'slow' ? queues.slow_webhooks : queues.webhooks;
    const MessageBody = JSON.stringify({ delivery_id: delivery.delivery_id });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: delivery.client_id }));
  }
}
