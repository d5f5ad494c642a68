/** Schemas of ARNs and ids, which also accept the CDK's placeholders for unknown values. */
import * as z from 'zod/mini';

/** Matches a token of the CDK, and the dummy value that `valueFromLookup` returns before the lookup. */
const placeholder = /[$#]\{Token\[[^\]]+\]\}|^dummy-value-for-/;

/** Returns true if the value is unknown before the deploy or a lookup, so that it cannot be checked. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** Returns a schema that also accepts a placeholder, because an app can pass a resource that it creates. */
export const orPlaceholder = (schema: z.ZodMiniType<string | undefined>) =>
  z.string().check(
    z.superRefine((text, context) => {
      const issues = isPlaceholder(text) ? [] : (schema.safeParse(text).error?.issues ?? []);
      for (const { message } of issues) context.addIssue({ code: 'custom', message });
    }),
  );

const textLike = (form: RegExp, description: string) =>
  orPlaceholder(z.string().check(z.regex(form, description)));

/** Returns the schema of an ARN of the service. */
export const arnOf = (service: string, resource: string) => {
  const form = new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]*:\\d{12}:${resource}$`);
  return textLike(form, `an ARN such as arn:aws:${service}:…`);
};

/**
 * A standard topic, because CloudWatch cannot publish to FIFO topics. The ARN of a subscription has another part, so it
 * does not match.
 */
const topicArn = arnOf('sns', '[\\w-]{1,256}');

const emailAddress = z.email();

/** An e-mail address or a topic's ARN. A placeholder is treated as an ARN. */
export const alarmAddress = z
  .string()
  .check(
    z.refine(
      (text) => [emailAddress, topicArn].some((schema) => schema.safeParse(text).success),
      'an e-mail address, or the ARN of a standard topic of SNS',
    ),
  );

/** Returns true for a topic's ARN, and false for an e-mail address. */
export const isTopic = (address: string): boolean => topicArn.safeParse(address).success;

/** Returns the schema of a list of EC2 ids. */
export const idsOf = (prefix: string, most: number) =>
  z.array(textLike(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `an id such as ${prefix}-0a1b2c3d`)).check(
    z.minLength(1),
    z.maxLength(most),
    z.refine((ids) => new Set(ids).size === ids.length, 'each id once'),
  );

const origination =
  /^(\+?\d{3,15}|[\w-]{1,64}|arn:aws[a-z-]*:sms-voice:[a-z0-9-]+:\d{12}:(phone-number|sender-id|pool)\/.+)$/;

/** The sender of an SMS in AWS End User Messaging (its origination identity). */
export const originationIdentity = textLike(
  origination,
  'a phone number, a sender ID, the id of a number or pool, or its ARN',
);
