/**
 * The request body of `POST /api/v1/otp/send`: its schema with bounds and defaults, and the rules that combine
 * several fields (contract, section 5).
 */
import * as z from 'zod/mini';
import { channels } from '../contract/channels.ts';
import { recipientSchema } from '../contract/phone-number.ts';
import { maxMessageCharacters, placeholdersOf, render } from '../message/message-text.ts';
import {
  legFields,
  legIndexes,
  legsSchema,
  referenceText,
  smsText,
  textOf,
  type WantedLeg,
} from '../message/send/send-fields.ts';
import { faultAt, optional, withDefault } from '../operation/fields.ts';

/** The number of digits of a code. If the minimum were longer, codes that were already sent would be refused. */
export const codeLength = { min: 4, max: 10, default: 6 } as const;
export const codeLengthText = `${codeLength.min} to ${codeLength.max} digits`;

/**
 * How long a code is valid, in seconds. Within the longest validity, the secret of the codes must not be rotated twice
 * (docs/rotate-and-restore.md).
 */
export const ttlSeconds = { min: 60, max: 3600, default: 300 } as const;

export const maxAttempts = { min: 1, max: 10, default: 5 } as const;

const knownPlaceholders: ReadonlySet<string> = new Set(['code', 'brand', 'ttl_minutes']);

/** The purpose of a password, as a text that the client chooses. */
export const purposeText = textOf(64).check(
  z.regex(/^[A-Za-z0-9._:-]+$/, 'may contain only letters A–Z and a–z, digits, and . _ : -'),
);

export const defaultPurpose = 'default';

/** Braces are not allowed, because they could form an unknown placeholder, and the code would then not be filled in. */
const brandText = textOf(64).check(z.regex(/^[^{}]*$/, 'must not hold { or }'));

const template = smsText.check(
  z.superRefine((text, context) => {
    const names = placeholdersOf(text);
    if (!names.includes('code')) context.addIssue({ code: 'custom', message: 'must hold {{code}}' });
    const unknown = names.filter((name) => !knownPlaceholders.has(name));
    if (unknown.length > 0) {
      context.addIssue({ code: 'custom', message: `knows no {{${unknown.join('}}, {{')}}}` });
    }
  }),
  z.meta({ pattern: '\\{\\{\\s*code\\s*\\}\\}' }),
);

function integerIn({ min, max }: { readonly min: number; readonly max: number }) {
  return z.int().check(z.minimum(min), z.maximum(max));
}

export function sendOtpSchema(webhookUrl: z.ZodMiniType<string>) {
  const leg = z.object(legFields(ttlSeconds.max - 1));
  return z
    .object({
      to: recipientSchema,
      channel: withDefault(z.enum(channels), 'sms'),
      code_length: withDefault(integerIn(codeLength), codeLength.default),
      ttl: withDefault(integerIn(ttlSeconds), ttlSeconds.default),
      max_attempts: withDefault(integerIn(maxAttempts), maxAttempts.default),
      purpose: withDefault(purposeText, defaultPurpose),
      template: optional(template),
      brand: optional(brandText),
      webhook_url: optional(webhookUrl),
      reference: optional(referenceText),
      smart_encoding: optional(z.boolean()),
      fallback: legsSchema(leg),
    })
    .check(
      ...legIndexes.map((index) =>
        z.refine<{ readonly ttl: number; readonly fallback?: readonly Partial<WantedLeg>[] | undefined }>(
          ({ ttl, fallback = [] }) => index >= fallback.length || waitOf(fallback.slice(0, index + 1)) < ttl,
          {
            path: ['fallback', index, 'after_seconds'],
            error: 'must end before the password expires',
            when: ({ issues }) => issues.length === 0,
          },
        ),
      ),
      z.refine(
        (otp) => typeof otp.brand === 'string' || !asksForBrand(otp.template),
        faultAt(['brand'], 'is required by the template'),
      ),
      z.refine((otp) => longestText(otp) <= maxMessageCharacters, {
        path: ['template'],
        error: `must have at most ${maxMessageCharacters} characters after its values are filled in`,
        // Skipped if a field is invalid, because that field may have any length.
        when: ({ issues }) => issues.length === 0,
      }),
    );
}

/** Returns how long after the send the last of these legs starts, if no earlier leg fails or is delivered. */
function waitOf(legs: readonly Partial<WantedLeg>[]): number {
  return legs.reduce((sum, { after_seconds = 0 }) => sum + after_seconds, 0);
}

/** Returns the number of characters of the text, with the longest value of each placeholder. */
function longestText({
  template = '',
  brand = '',
  code_length,
}: {
  readonly template?: string | undefined;
  readonly brand?: string | undefined;
  readonly code_length: number;
}): number {
  const ttl_minutes = String(ttlSeconds.max / 60);
  const rendered = render(template, { code: '0'.repeat(code_length), brand, ttl_minutes });
  return rendered.ok ? [...rendered.text].length : 0;
}

function asksForBrand(template: unknown): boolean {
  return typeof template === 'string' && placeholdersOf(template).includes('brand');
}

export type SendOtpRequest = z.output<ReturnType<typeof sendOtpSchema>>;
