/** Returns what must stay of a table: its name, its partition key and its sort key, if there is one. */
function table(name: string, ...keys: readonly string[]) {
  return {
    Type: 'AWS::DynamoDB::Table',
    TableName: `messaging-gateway-production-${name}`,
    KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
  };
}

/**
 * The tables, keys and secrets of production. A change that is not an addition would make CloudFormation drop or replace
 * one of them.
 */
export const productionState: Readonly<Record<string, unknown>> = {
  StorageClients6AB22E1B: table('clients', 'client_id'),
  StorageClientSecrets0A29AC8D: table('client-secrets', 'client_id'),
  StorageApiKeys7B037C32: table('api-keys', 'key_hash'),
  StorageLimitOverrides84F60C4B: table('limit-overrides', 'client_id', 'endpoint'),
  StorageSenders7006A9B8: table('senders', 'client_id', 'destination'),
  StorageRateCountersE44D3399: table('rate-counters', 'counter'),
  StorageMessagesEB8091F1: table('messages', 'message_id'),
  StorageBatchesFF4B5F1F: table('batches', 'batch_id'),
  StorageOneTimePasswords002569F4: table('one-time-passwords', 'otp_id'),
  StorageWebhookEndpoints3209F567: table('webhook-endpoints', 'client_id', 'endpoint_id'),
  StorageOtpTraffic61877102: table('otp-traffic', 'client_id', 'span'),
  StorageOtpHolds33C15B2F: table('otp-holds', 'client_id', 'country'),
  StorageWebhookDeliveriesE23FA9F3: table('webhook-deliveries', 'delivery_id'),
  StorageActivityLogA2DEC142: table('activity-log', 'day', 'entry_id'),
  StorageMessageUsage37E3472A: table('message-usage', 'period', 'client_id'),
  StorageCountJournalE332202D: table('count-journal', 'journal', 'entry'),
  StorageSenderPace47371D73: table('sender-pace', 'sender'),
  StorageSimulatorOutboxF6187530: table('simulator-outbox', 'recipient', 'handed_over'),
  StorageSuppressions765A2FB0: table('suppressions', 'client_id', 'recipient'),
  StorageWhatsappWindows50F76C87: table('whatsapp-windows', 'client_id', 'recipient'),
  StorageSigningKeys21101E0F: table('signing-keys', 'kid'),
  TokenKey812BBFC4: {
    Type: 'AWS::KMS::Key',
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
  },
  OtpSecretCB79C197: {
    Type: 'AWS::SecretsManager::Secret',
    GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 64 },
  },
};

/** The logical ids of production's queues and topics. With another id, CloudFormation replaces the resource and drops its messages. */
export const productionQueues: readonly string[] = [
  'MessagingBulkOutboundDeadLettersD8AE1ED3',
  'MessagingBulkOutboundQueue2F657FAC',
  'MessagingCarriersReceiptsE1F37E93',
  'MessagingOtpOutboundDeadLettersA9D6612D',
  'MessagingOtpOutboundQueue5747C193',
  'MessagingOutboundDeadLetters34B4A77A',
  'MessagingOutboundQueue8820DF31',
  'MessagingReceiptsDeadLetters0DD9FECC',
  'MessagingReceiptsQueue1321D604',
  'MessagingRelayDeadLettersA9C55B31',
  'WebhooksDeadLetters4F5CA89C',
  'WebhooksQueue9FEFA2C1',
  'WebhooksWebhookRetriesDeadLetters018AF92E',
  'WebhooksWebhookRetriesQueueA60099A1',
];
