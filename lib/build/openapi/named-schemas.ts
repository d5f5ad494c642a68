/**
 * Gives every part of a schema a name. Generators make a type of each, and name one without a name after its place: nobody
 * would write `SendWhatsAppRequestOneOf1TemplateParameters`.
 */
import { isDeepStrictEqual } from 'node:util';
import { channels, statuses } from '../../../shared/message/message.ts';
import { deliveryStates } from '../../../shared/webhook/delivery.ts';
import type { JsonSchema } from './schemas.ts';

/**
 * By place: `Schema.field`; `Schema.field[]` is the item of a list, `Schema.field{}` the value of a map,
 * `Schema.object` its alternative that is an object.
 */
const parts: Readonly<Record<string, string>> = {
  'WhatsAppMessage.type': 'WhatsAppType',
  'WhatsAppMessage.template': 'WhatsAppTemplate',
  'WhatsAppMessage.fallback_template': 'WhatsAppTemplate',
  'WhatsAppTemplate.parameters': 'TemplateParameters',
  'WhatsAppMessage.media': 'Media',
  'WhatsAppMessage.location': 'Location',
  'TemplateParameters.buttons[]': 'TemplateButton',
  'TemplateButton.object': 'Button',
  'TemplateButton.string': 'ButtonUrl',
  'AcceptedBatch.messages[]': 'BatchMessage',
  'AcceptedBatch.errors[]': 'RejectedRecipient',
  'DryRun.refusals[]': 'DryRunRefusal',
  'DryRunBatch.messages[]': 'DryRunMessage',
  'DryRunBatch.errors[]': 'RejectedRecipient',
  'Message.error': 'MessageFailure',
  'Message.history[]': 'StatusChange',
  'Message.whatsapp': 'ReceivedContent',
  'ReceivedContent.type': 'ReceivedContentType',
  'ReceivedContent.media': 'ReceivedMedia',
  'ReceivedContent.location': 'ReceivedLocation',
  'ReceivedContent.button_reply': 'ButtonReply',
  'ReceivedContent.list_reply': 'ListReply',
  'ReceivedContent.reaction': 'Reaction',
  'InboundMessageEvent.data': 'InboundMessageData',
  'RecipientEvent.data': 'RecipientEventData',
  'SuppressionUpdate.scope': 'SuppressionScope',
  'Batch.counts': 'StatusCounts',
  'Account.limits{}': 'EndpointLimits',
  'Usage.usage[]': 'UsageEntry',
  'UsageEntry.other_costs': 'OtherCosts',
  'Usage.caps[]': 'CapUsage',
  'CapUsage.cap': 'CapName',
  'CapUsage.window': 'CapWindow',
  'WebhookEvent.data': 'WebhookEventData',
  'WebhookDeliveryWithAttempts.attempt_log[]': 'WebhookAttempt',
  'WebhookEndpointSettings.sqs': 'QueueDestination',
  'WebhookEndpointSettings.eventbridge': 'EventBusDestination',
  'WebhookEndpointUpdate.sqs': 'QueueDestination',
  'WebhookEndpointUpdate.eventbridge': 'EventBusDestination',
  'WebhookEndpoint.sqs': 'EndpointQueue',
  'WebhookEndpoint.eventbridge': 'EndpointEventBus',
  'WebhookEndpointDisabledEvent.data': 'DisabledWebhookEndpoint',
};

/** Some of a list's values, which are of its type all the same: Go has one constant for each value. */
const wider: Readonly<Record<string, keyof typeof enums>> = {
  'AcceptedSms.channel': 'Channel',
  'AcceptedWhatsApp.channel': 'Channel',
  'SentOtp.status': 'OtpStatus',
  'AcceptedSms.status': 'MessageStatus',
  'AcceptedWhatsApp.status': 'MessageStatus',
  'BatchMessage.status': 'MessageStatus',
  'WebhookEventData.status': 'MessageStatus',
  'UsageEntry.status': 'MessageStatus',
  'WebhookSelection.state': 'WebhookDeliveryState',
  'WebhookResend.state': 'WebhookDeliveryState',
};

/** Values to which a release may add (contract, section 15): a client must not refuse those that it does not know. */
const openFields = [
  'ErrorResponse.error',
  'RejectedRecipient.error',
  'WebhookEvent.event',
  'WebhookAttempt.error',
];

/** A list of values is one type, wherever it is. */
const enums = {
  Channel: channels,
  MessageStatus: statuses,
  MessageType: ['transactional', 'promotional'],
  OtpStatus: ['verified', 'pending'],
  SmsEncoding: ['GSM-7', 'UCS-2'],
  WebhookDeliveryState: deliveryStates,
} as const satisfies Record<string, readonly string[]>;

/** Clients in Go have one constant for each value of all lists: this is put before those that another list has too. */
const constantPrefixes: Readonly<Record<string, string>> = {
  ReceivedContentType: 'RECEIVED',
  SuppressionScope: 'SUPPRESS',
  WebhookDeliveryState: 'WEBHOOK',
};

/** Adds the named parts to the schemas, and refers to them. @throws Error for a place that no schema has */
export function nameParts(schemas: Record<string, JsonSchema>): void {
  for (const [name, values] of Object.entries(enums)) schemas[name] = { type: 'string', enum: [...values] };
  for (const [place, name] of Object.entries(parts)) {
    const part = partAt(schemas, place);
    schemas[name] = { ...part };
    for (const keyword of Object.keys(part)) delete part[keyword];
    part.$ref = referenceTo(name);
  }
  for (const [place, name] of Object.entries(wider)) {
    const field = partAt(schemas, place);
    for (const keyword of Object.keys(field)) delete field[keyword];
    field.$ref = referenceTo(name);
  }
  for (const place of openFields) {
    const field = partAt(schemas, place);
    field['x-extensible-enum'] = field.enum;
    delete field.enum;
  }
  let unnamed = true;
  while (unnamed)
    unnamed = Object.values(schemas)
      .map((schema) => referToKnown(schema, schemas))
      .includes(true);
  for (const [name, prefix] of Object.entries(constantPrefixes)) {
    const schema = schemas[name];
    if (!Array.isArray(schema?.enum)) throw new Error(`the document has no list ${name}`);
    const values: readonly string[] = schema.enum;
    Object.assign(schema, { 'x-enum-varnames': values.map((value) => `${prefix}_${value.toUpperCase()}`) });
  }
}

function partAt(schemas: Readonly<Record<string, JsonSchema>>, place: string): JsonSchema {
  const [, schema = '', field = '', kind] = /^(\w+)\.(\w+)(\[\]|\{\})?$/.exec(place) ?? [];
  const properties = schemas[schema]?.properties as Record<string, JsonSchema> | undefined;
  const whole =
    properties === undefined ? alternative(schemas[schema], field) : notNull(properties[field] ?? {});
  const part = kind === undefined ? whole : whole[kind === '[]' ? 'items' : 'additionalProperties'];
  if (typeof part !== 'object' || part === null || Object.keys(part).length === 0)
    throw new Error(`the document has no ${place}`);
  return part as JsonSchema;
}

function alternative(schema: JsonSchema | undefined, kind: string): JsonSchema {
  return (schema?.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type === kind) ?? {};
}

/** The schema whose place a null may take. */
function notNull(schema: JsonSchema): JsonSchema {
  return (schema.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type !== 'null') ?? schema;
}

/** Replaces every part that equals a named schema. @returns whether there was one */
function referToKnown(schema: unknown, schemas: Readonly<Record<string, JsonSchema>>): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  let found = false;
  for (const part of Object.values(schema)) {
    found = referToKnown(part, schemas) || found;
    if (
      typeof part !== 'object' ||
      part === null ||
      !('enum' in part || 'properties' in part || 'propertyNames' in part)
    )
      continue;
    const [name] =
      Object.entries(schemas).find(([, named]) => named !== part && isDeepStrictEqual(named, part)) ?? [];
    if (name === undefined) continue;
    for (const keyword of Object.keys(part)) delete part[keyword];
    Object.assign(part, { $ref: referenceTo(name) });
    found = true;
  }
  return found;
}

export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}
