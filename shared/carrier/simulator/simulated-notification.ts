/** Wraps simulated events as AWS publishes real ones, so that one parser reads both. */

/** The body of a queue message: an SNS notification around the event. */
export function snsNotification(messageId: string, event: object, at: Date): string {
  return JSON.stringify({
    Type: 'Notification',
    MessageId: messageId,
    TopicArn: 'arn:aws:sns:us-east-1:000000000000:simulated-receipts',
    Message: JSON.stringify(event),
    Timestamp: at.toISOString(),
  });
}

/** The event around one change of Meta's webhook. */
export function whatsAppEvent(value: object, at: Date): object {
  return {
    context: { MetaWabaIds: [], MetaPhoneNumberIds: [] },
    whatsAppWebhookEntry: JSON.stringify({
      id: 'simulator',
      changes: [{ value: { messaging_product: 'whatsapp', ...value }, field: 'messages' }],
    }),
    message_timestamp: at.toISOString(),
  };
}
