/** Gives each nested schema a name, which is the name of its type in the clients. */
import { isDeepStrictEqual } from 'node:util';
import { channels } from '../../../shared/contract/channels.ts';
import { attemptOutcomes } from '../../../shared/message/attempt.ts';
import { statuses } from '../../../shared/message/message.ts';
import { acceptedSms, messageStatus } from '../../../shared/message/message-response.schema.ts';
import { verification } from '../../../shared/otp/otp-response.schema.ts';

/** A schema of the API document (JSON Schema 2020-12, as in OpenAPI 3.1). */
export type JsonSchema = { [keyword: string]: unknown };

/**
 * The names, by the place of the schema, such as `Schema.field`. `Schema.field[]` is the item of a list, `Schema.field{}`
 * the value of a map, and `Schema.object` the alternative that is an object.
 */
const parts: Readonly<Record<string, string>> = {
  'WhatsappMessage.type': 'WhatsappType',
  'WhatsappMessage.template': 'WhatsappTemplate',
  'WhatsappMessage.fallback_template': 'WhatsappTemplate',
  'SmsMessage.fallback[]': 'Fallback',
  'WhatsappMessage.fallback[]': 'Fallback',
  'Fallback.template': 'WhatsappTemplate',
  'OtpMessage.fallback[]': 'OtpFallback',
  'WhatsappTemplate.parameters': 'TemplateParameters',
  'WhatsappMessage.media': 'Media',
  'WhatsappMessage.location': 'Location',
  'TemplateParameters.buttons[]': 'TemplateButton',
  'TemplateButton.object': 'Button',
  'TemplateButton.string': 'ButtonUrl',
  'AcceptedSms.ucs2': 'Ucs2',
  'Ucs2.characters[]': 'Ucs2Character',
  'AcceptedBatch.messages[]': 'BatchMessage',
  'AcceptedBatch.errors[]': 'RejectedRecipient',
  'DryRun.ucs2': 'DryRunUcs2',
  'DryRun.refusals[]': 'DryRunRefusal',
  'DryRun.unknown_fields[]': 'DryRunUnknownField',
  'DryRun.fallback[]': 'DryRunLeg',
  'DryRunBatch.messages[]': 'DryRunMessage',
  'DryRunBatch.errors[]': 'RejectedRecipient',
  'Message.error': 'MessageFailure',
  'Message.attempts[]': 'HandOverAttempt',
  'Message.history[]': 'StatusChange',
  'Message.fallback[]': 'FallbackLeg',
  'Message.whatsapp': 'ReceivedContent',
  'ReceivedContent.media': 'ReceivedMedia',
  'ReceivedContent.location': 'ReceivedLocation',
  'ReceivedContent.button_reply': 'ButtonReply',
  'ReceivedContent.list_reply': 'ListReply',
  'ReceivedContent.reaction': 'Reaction',
  'ReceivedContent.contacts[]': 'ReceivedContact',
  'InboundMessageEvent.event': 'InboundEventName',
  'InboundMessageEvent.data': 'InboundMessageData',
  'RecipientEvent.event': 'RecipientEventName',
  'RecipientEvent.data': 'RecipientEventData',
  'SuppressionUpdate.scope': 'SuppressionScope',
  'Batch.counts': 'StatusCounts',
  'Account.limits{}': 'EndpointLimits',
  'Usage.usage[]': 'UsageEntry',
  'UsageEntry.other_costs': 'OtherCosts',
  'Usage.caps[]': 'CapUsage',
  'CapUsage.window': 'CapWindow',
  'WebhookEvent.data': 'WebhookEventData',
  'WebhookDeliveryWithAttempts.attempt_log[]': 'WebhookAttempt',
  'WebhookEndpointUpdate.sqs': 'QueueDestination',
  'WebhookEndpointUpdate.eventbridge': 'EventBusDestination',
  'WebhookEndpoint.sqs': 'EndpointQueue',
  'WebhookEndpoint.eventbridge': 'EndpointEventBus',
  'WebhookEndpointDisabledEvent.event': 'EndpointEventName',
  'WebhookEndpointDisabledEvent.data': 'DisabledWebhookEndpoint',
  'TestEvent.event': 'MessageEventName',
};

/**
 * For each place, the enum of which the field currently uses only some values. A release can then use another value there
 * without a change in the clients.
 */
const enumSubsets: Readonly<Record<string, keyof typeof enums>> = {
  'AcceptedSms.channel': 'Channel',
  'AcceptedWhatsapp.channel': 'Channel',
  'SentOtp.status': 'OtpStatus',
  'AcceptedSms.status': 'MessageStatus',
  'AcceptedWhatsapp.status': 'MessageStatus',
  'BatchMessage.status': 'MessageStatus',
  'WebhookEventData.status': 'MessageStatus',
  'InboundMessageData.status': 'MessageStatus',
  'UsageEntry.status': 'MessageStatus',
};

/** Fields to which a release may add values (contract 15.1), so clients must accept unknown values. */
const openFields = [
  'CapUsage.cap',
  'ErrorResponse.error',
  'RejectedRecipient.error',
  'WebhookEvent.event',
  'WebhookAttempt.error',
];

/**
 * Request fields that accept values from a response. A release may add values, so their types in the clients also accept
 * other strings.
 */
const openRequestFields = ['WebhookEndpointSettings.events[]', 'WebhookEndpointUpdate.events[]'];

/** The enums. Each enum is one type in all schemas. */
const enums = {
  AttemptOutcome: attemptOutcomes,
  Channel: channels,
  MessageStatus: statuses,
  MessageType: messageStatus.shape.type.options,
  DeliveryPath: messageStatus.shape.delivered_by.def.innerType.options,
  OtpStatus: verification.shape.status.options,
  SmsEncoding: acceptedSms.shape.encoding.options,
} as const satisfies Record<string, readonly string[]>;

/**
 * Adds the named parts to the schemas, and replaces their other occurrences by references. @throws Error if a place does
 * not exist
 */
export function nameParts(schemas: Record<string, JsonSchema>): void {
  for (const [name, values] of Object.entries(enums)) schemas[name] = { type: 'string', enum: [...values] };
  for (const [place, name] of Object.entries(parts)) {
    const part = partAt(schemas, place);
    const { description, ...named } = part;
    schemas[name] = named;
    referTo(name, part);
  }
  for (const [place, name] of Object.entries(enumSubsets)) {
    referTo(name, partAt(schemas, place));
  }
  for (const place of openFields) {
    const field = partAt(schemas, place);
    field['x-extensible-enum'] = field.enum;
    delete field.enum;
  }
  for (const place of openRequestFields) {
    const field = partAt(schemas, place);
    field['x-extensible-enum'] = field.enum;
  }
  let unnamed = true;
  while (unnamed)
    unnamed = Object.values(schemas)
      .map((schema) => referToKnown(schema, schemas))
      .includes(true);
}

/** @throws Error if the place does not exist */
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

/** Returns the schema without its alternative `null`. */
function notNull(schema: JsonSchema): JsonSchema {
  return (schema.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type !== 'null') ?? schema;
}

/** Replaces every part that equals a named schema. @returns true if it replaced one */
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
    const { description, ...alike } = part as JsonSchema;
    const [name] =
      Object.entries(schemas).find(([, named]) => named !== part && isDeepStrictEqual(named, alike)) ?? [];
    if (name === undefined) continue;
    referTo(name, part as JsonSchema);
    found = true;
  }
  return found;
}

/** Replaces the part by a reference, but keeps its description, which belongs to the field. */
function referTo(name: string, part: JsonSchema): void {
  for (const keyword of Object.keys(part)) if (keyword !== 'description') delete part[keyword];
  part.$ref = referenceTo(name);
}

/** Calls `change` for the schema, then for every schema in it. */
export function forEachPart(schema: unknown, change: (part: JsonSchema) => void): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) change(schema as JsonSchema);
  for (const part of Object.values(schema)) forEachPart(part, change);
}

/**
 * The schemas that only the extension `x-dry-run` uses. They have their own section in `components`, because linters would
 * report them as unused.
 */
const ofDryRuns = /^DryRun/;

export function referenceTo(name: string): string {
  return `#/components/${ofDryRuns.test(name) ? 'x-dry-run' : 'schemas'}/${name}`;
}

export function bySection(schemas: Readonly<Record<string, JsonSchema>>) {
  const { schemas: ofOperations = [], dryRuns = [] } = Object.groupBy(Object.entries(schemas), ([name]) =>
    ofDryRuns.test(name) ? 'dryRuns' : 'schemas',
  );
  return { schemas: Object.fromEntries(ofOperations), 'x-dry-run': Object.fromEntries(dryRuns) };
}
