/**
 * The tables, keys and secrets of production. A change that is not an addition would make CloudFormation drop or replace
 * one of them.
 */
export const productionState: Readonly<Record<string, unknown>> = {
  StorageClients6AB22E1B: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-clients',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
    ],
  },
  StorageClientSecrets0A29AC8D: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-client-secrets',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
    ],
  },
  StorageApiKeys7B037C32: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-api-keys',
    KeySchema: [
      {
        AttributeName: 'key_hash',
        KeyType: 'HASH',
      },
    ],
  },
  StorageLimitOverrides84F60C4B: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-limit-overrides',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'endpoint',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageSenders7006A9B8: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-senders',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'destination',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageRateCountersE44D3399: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-rate-counters',
    KeySchema: [
      {
        AttributeName: 'counter',
        KeyType: 'HASH',
      },
    ],
  },
  StorageMessagesEB8091F1: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-messages',
    KeySchema: [
      {
        AttributeName: 'message_id',
        KeyType: 'HASH',
      },
    ],
  },
  StorageBatchesFF4B5F1F: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-batches',
    KeySchema: [
      {
        AttributeName: 'batch_id',
        KeyType: 'HASH',
      },
    ],
  },
  StorageOneTimePasswords002569F4: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-one-time-passwords',
    KeySchema: [
      {
        AttributeName: 'otp_id',
        KeyType: 'HASH',
      },
    ],
  },
  StorageWebhookEndpoints3209F567: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-webhook-endpoints',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'endpoint_id',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageOtpTraffic61877102: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-otp-traffic',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'span',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageOtpHolds33C15B2F: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-otp-holds',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'country',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageWebhookDeliveriesE23FA9F3: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-webhook-deliveries',
    KeySchema: [
      {
        AttributeName: 'delivery_id',
        KeyType: 'HASH',
      },
    ],
  },
  StorageActivityLogA2DEC142: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-activity-log',
    KeySchema: [
      {
        AttributeName: 'day',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'entry_id',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageMessageUsage37E3472A: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-message-usage',
    KeySchema: [
      {
        AttributeName: 'period',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'client_id',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageCountJournalE332202D: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-count-journal',
    KeySchema: [
      {
        AttributeName: 'journal',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'entry',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageSenderPace47371D73: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-sender-pace',
    KeySchema: [
      {
        AttributeName: 'sender',
        KeyType: 'HASH',
      },
    ],
  },
  StorageSimulatorOutboxF6187530: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-simulator-outbox',
    KeySchema: [
      {
        AttributeName: 'recipient',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'handed_over',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageSuppressions765A2FB0: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-suppressions',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'recipient',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageWhatsappWindows50F76C87: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-whatsapp-windows',
    KeySchema: [
      {
        AttributeName: 'client_id',
        KeyType: 'HASH',
      },
      {
        AttributeName: 'recipient',
        KeyType: 'RANGE',
      },
    ],
  },
  StorageSigningKeys21101E0F: {
    Type: 'AWS::DynamoDB::Table',
    TableName: 'messaging-gateway-production-signing-keys',
    KeySchema: [
      {
        AttributeName: 'kid',
        KeyType: 'HASH',
      },
    ],
  },
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
