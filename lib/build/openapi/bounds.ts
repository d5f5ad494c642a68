/** The greatest lengths of texts and lists, and the sizes of integers, that the gateway keeps to: for linters and generators. */
import {
  errorDetailsMax,
  errorFieldCharactersMax,
  errorMessageCharactersMax,
} from '../../../shared/contract/errors.ts';
import { bulkRecipientsMax } from '../../../shared/message/send/bulk-recipients.ts';
import { legIndexes } from '../../../shared/message/send/fallback-fields.ts';
import { referenceCharactersMax } from '../../../shared/message/send/send-fields.ts';
import { pageLimitMax } from '../../../shared/operation/list-query.ts';
import { urlLengthMax } from '../../../shared/webhook/address-guard.ts';
import { arnLengthMax } from '../../../shared/webhook/aws-destination.ts';
import { endpointsMax } from '../../../shared/webhook/webhook-endpoint.ts';
import { type JsonSchema, partAt } from './named-schemas.ts';
import { requests } from './requests.ts';

/** The most items of lists, by schema and field. */
const itemsMax: Readonly<Record<string, number>> = {
  'AcceptedBatch.messages': bulkRecipientsMax,
  'AcceptedBatch.errors': bulkRecipientsMax,
  'DryRun.fallback': legIndexes.length,
  'DryRun.unknown_fields': errorDetailsMax,
  'DryRunBatch.messages': bulkRecipientsMax,
  'DryRunBatch.errors': bulkRecipientsMax,
  'DryRunBatch.unknown_fields': errorDetailsMax,
  'ErrorResponse.details': errorDetailsMax,
  'Message.fallback': legIndexes.length,
  'MessageOrBatch.fallback': legIndexes.length,
  'MessageList.messages': pageLimitMax,
  'SuppressionList.suppressions': pageLimitMax,
  'TestOutbox.messages': pageLimitMax,
  'WebhookDeliveryList.webhook_deliveries': pageLimitMax,
  'WebhookEndpointList.webhook_endpoints': endpointsMax,
};

/** The most characters of texts, by schema and field. */
const charactersMax: Readonly<Record<string, number>> = {
  'ErrorResponse.message': errorMessageCharactersMax,
  'ErrorResponse.error_description': errorMessageCharactersMax,
  'FieldError.message': errorMessageCharactersMax,
  'FieldError.field': errorFieldCharactersMax,
  'AcceptedSms.reference': referenceCharactersMax,
  'AcceptedWhatsapp.reference': referenceCharactersMax,
  'BatchMessage.reference': referenceCharactersMax,
  'Message.reference': referenceCharactersMax,
  'MessageOrBatch.reference': referenceCharactersMax,
};

/** The same by the format or the pattern of the text, which its check has. */
const charactersOf: Readonly<Record<string, number>> = {
  uri: urlLengthMax,
  'queue-arn': arnLengthMax,
  'bus-arn': arnLengthMax,
  'role-arn': arnLengthMax,
  '^[A-Z]{3}$': 3,
  '^[a-z]{2,3}(_[A-Za-z]{2,4})?$': 8,
};

/** The texts that the gateway makes, by field; requests have other names for theirs. */
const madeCharacters: Readonly<Record<string, number>> = {
  message_id: 30,
  endpoint_id: 30,
  delivery_id: 30,
  resend_id: 30,
  fallback_of: 30,
  recipient: 16,
  currency: 3,
};

/** Their integers have no limit that 32 bits are sure to hold. */
const withLargeIntegers: ReadonlySet<string> = new Set([
  'EndpointLimits',
  'UsageEntry',
  'QueuedResend',
  'WebhookResend',
]);

/** A time as the gateway writes it; a request's may have more digits, or an offset. */
const instantCharacters = '2026-11-20T10:00:00.000Z'.length;
/** One of several words; those of responses may become more. */
const oneOf = /^\^\(([\w.*|\\]+)\)\$$/;
const id = /^\^(\w+_)\[[^\]]+\]\{26\}\$$/;

export function addBounds(schemas: Readonly<Record<string, JsonSchema>>): void {
  for (const [place, maxItems] of Object.entries(itemsMax))
    Object.assign(partAt(schemas, place), { maxItems });
  for (const [place, maxLength] of Object.entries(charactersMax))
    Object.assign(partAt(schemas, place), { maxLength });
  for (const [name, schema] of Object.entries(schemas))
    addToEach(schema, withLargeIntegers.has(name) ? 'int64' : 'int32', !(name in requests));
}

function addToEach(schema: unknown, integers: 'int32' | 'int64', isMade: boolean): void {
  if (typeof schema !== 'object' || schema === null) return;
  const part = schema as JsonSchema;
  const types = [part.type].flat();
  if (types.includes('integer')) part.format ??= integers;
  if (types.includes('string')) {
    const [, prefix] = id.exec(String(part.pattern)) ?? [];
    if (prefix !== undefined) part.maxLength ??= prefix.length + 26;
    if (part.format === 'date-time' && isMade) part.maxLength ??= instantCharacters;
    const characters = charactersOf[String(part.format)] ?? charactersOf[String(part.pattern)];
    const [, words] = (isMade ? null : oneOf.exec(String(part.pattern))) ?? [];
    const longest = words
      ?.replaceAll('\\', '')
      .split('|')
      .map(({ length }) => length);
    const most = characters ?? (longest && Math.max(...longest));
    if (most !== undefined) part.maxLength ??= most;
  }
  if (isMade)
    for (const [field, inner] of Object.entries(part.properties ?? {}))
      if ([(inner as JsonSchema).type].flat().includes('string') && madeCharacters[field] !== undefined)
        (inner as JsonSchema).maxLength ??= madeCharacters[field];
  for (const [keyword, inner] of Object.entries(part))
    if (keyword !== 'examples') addToEach(inner, integers, isMade);
}
