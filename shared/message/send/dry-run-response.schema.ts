/** The schema of the responses to a dry run of a send (contract, section 5). */
import * as z from 'zod/mini';
import { described } from '../../operation/fields.ts';
import {
  channel,
  count,
  encoding,
  messageErrorCode,
  recipient,
  recipientType,
  segments,
  ucs2Fields,
} from '../message-response.schema.ts';
import { rowError } from '../store/batches.dynamo.ts';

const estimatedCost = described(
  z.nullable(z.number()),
  'The cost by the price list of the gateway; null if the country has no price. A message with `would_fail_with` costs nothing.',
);
const selectedSender = described(
  z.nullable(z.string()),
  'The sender that would be used; null if the carrier would select it.',
);
const wouldFailWith = described(
  z.exactOptional(messageErrorCode),
  'The error code with which the message would fail after it was accepted: `recipient_opted_out` if the recipient is suppressed now.',
);

const ucs2 = described(
  z.exactOptional(
    z.extend(ucs2Fields, {
      gsm7_estimated_cost: described(
        z.nullable(z.number()),
        'The estimated cost of `gsm7_segments`; null if these or the price are null.',
      ),
    }),
  ),
  'What makes the text UCS-2, and what it would cost without; absent for GSM-7.',
);

export const dryRunLeg = z.object({
  channel,
  after_seconds: described(
    z.nullable(z.int()),
    'As in the request; null if the leg would start only after a failure or the end of the validity period.',
  ),
  from: selectedSender,
  encoding: z.exactOptional(encoding),
  segments: z.exactOptional(segments),
  ucs2,
  estimated_cost: estimatedCost,
});

const dryRunRefusal = z.object({
  status: described(z.int(), 'The HTTP status of the refusal.'),
  error: described(z.string(), 'A stable code.'),
  message: described(z.string(), 'A sentence for a developer.'),
  retry_after: z.exactOptional(z.int()),
});

const unknownField = z.object({
  field: described(z.string(), 'The name of the field in the request, such as `recipients[2].mesage`.'),
  message: described(z.string(), 'A sentence for a developer, with the known name that was probably meant.'),
});

const dryRunFields = {
  dry_run: described(z.boolean(), 'Always `true`: nothing was stored or sent.'),
  would_be_accepted: described(
    z.boolean(),
    'True if the same request without `dry_run` would be accepted now.',
  ),
  estimated_cost: estimatedCost,
  currency: described(
    z.nullable(z.string()),
    'The currency of `estimated_cost` (ISO 4217); null if there is no price.',
  ),
  refusals: described(
    z.array(dryRunRefusal),
    'Every reason why the request would be refused; empty if it would be accepted.',
  ),
  unknown_fields: described(
    z.array(unknownField),
    'The fields that would be ignored, because the operation does not define them.',
  ),
};

const dryRun = z.object({
  ...dryRunFields,
  channel,
  recipient,
  recipient_type: recipientType,
  from: selectedSender,
  encoding: z.exactOptional(encoding),
  segments: z.exactOptional(segments),
  ucs2,
  would_fail_with: wouldFailWith,
  fallback: described(
    z.exactOptional(z.array(dryRunLeg)),
    'The legs that would follow if this message were not delivered.',
  ),
});

const dryRunBatch = z.object({
  ...dryRunFields,
  total: count,
  accepted: described(count, 'How many rows would be accepted.'),
  rejected: described(count, 'How many rows would be refused.'),
  segments: described(count, 'Of all messages.'),
  messages: described(
    z.array(
      z.object({
        index: count,
        recipient,
        from: selectedSender,
        encoding,
        segments,
        ucs2,
        estimated_cost: estimatedCost,
        would_fail_with: wouldFailWith,
      }),
    ),
    'The messages that would be accepted, one for each row.',
  ),
  errors: described(z.array(rowError), 'The refused rows, each with its error.'),
});

export type DryRunRefusal = z.output<typeof dryRunRefusal>;
export type DryRun = z.output<typeof dryRun>;
export type DryRunBatch = z.output<typeof dryRunBatch>;

export const dryRunResponses = { DryRun: dryRun, DryRunBatch: dryRunBatch } as const;
