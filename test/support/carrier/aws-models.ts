/**
 * The input that AWS accepts in the two calls that send a message, from botocore's service models: pinpoint-sms-voice-v2
 * 2022-03-31 `SendTextMessage`, socialmessaging 2024-01-01 `SendWhatsAppMessage`.
 * Lengths of texts count code points, a pattern must match the whole of a text.
 */
type Rule =
  | { readonly text: RegExp; readonly min: number; readonly max: number }
  | { readonly integer: { readonly min: number; readonly max: number } }
  | { readonly boolean: true }
  | { readonly oneOf: readonly string[] }
  | { readonly map: { readonly key: Rule; readonly value: Rule; readonly max: number } };

interface InputModel {
  readonly required: readonly string[];
  readonly members: Readonly<Record<string, Rule>>;
}

export const sendTextMessage: InputModel = {
  required: ['DestinationPhoneNumber'],
  members: {
    DestinationPhoneNumber: { text: /^\+?[1-9][0-9]{1,18}$/, min: 1, max: 20 },
    OriginationIdentity: { text: /^[A-Za-z0-9_:/+-]+$/, min: 1, max: 256 },
    MessageBody: { text: /^(?!\s*$)[\s\S]+$/, min: 1, max: 1600 },
    MessageType: { oneOf: ['TRANSACTIONAL', 'PROMOTIONAL'] },
    MessageFeedbackEnabled: { boolean: true },
    ConfigurationSetName: { text: /^[A-Za-z0-9_:/-]+$/, min: 1, max: 256 },
    ProtectConfigurationId: { text: /^[A-Za-z0-9_:/-]+$/, min: 1, max: 64 },
    DestinationCountryParameters: {
      map: {
        key: { oneOf: ['IN_TEMPLATE_ID', 'IN_ENTITY_ID'] },
        value: { text: /^\S+$/, min: 1, max: 64 },
        max: 10,
      },
    },
    TimeToLive: { integer: { min: 5, max: 259_200 } },
    Context: {
      map: {
        key: { text: /^\S+$/, min: 1, max: 100 },
        value: { text: /^(?!\s)[\s\S]+(?<!\s)$/, min: 1, max: 800 },
        max: 5,
      },
    },
  },
};

/** A sender ID, as `RequestSenderId` and the list of origination identities know it (`SenderId`). */
export const senderId: Rule = { text: /^[A-Za-z0-9_-]+$/, min: 1, max: 11 };

/** `message` is a blob: its bytes are in base64. */
export const sendWhatsAppMessage: InputModel = {
  required: ['originationPhoneNumberId', 'message', 'metaApiVersion'],
  members: {
    originationPhoneNumberId: {
      text: /^phone-number-id-.*$|^arn:.*:phone-number-id\/[0-9a-zA-Z]+$/,
      min: 1,
      max: 115,
    },
    message: { text: /^[A-Za-z0-9+/]+={0,2}$/, min: 1, max: Math.floor(2_048_000 / 3) * 4 },
    metaApiVersion: { text: /^v[0-9]+\.[0-9]+$/, min: 1, max: 256 },
  },
};

/** Returns the faults for which AWS would refuse the input; empty if there are none. */
export function inputFaults(
  { required, members }: InputModel,
  input: Readonly<Record<string, unknown>>,
): string[] {
  const missing = required.filter((name) => input[name] === undefined).map((name) => `${name} is missing`);
  const faulty = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .filter(([name, value]) => !fits(members[name], value))
    .map(([name, value]) => `${name} is ${JSON.stringify(value)}`);
  return [...missing, ...faulty];
}

export function fits(rule: Rule | undefined, value: unknown): boolean {
  if (rule === undefined) return false;
  if ('integer' in rule) {
    return Number.isInteger(value) && Number(value) >= rule.integer.min && Number(value) <= rule.integer.max;
  }
  if ('map' in rule) {
    const entries = Object.entries(value as Record<string, unknown>);
    const { key, value: inner, max } = rule.map;
    return entries.length <= max && entries.every(([name, item]) => fits(key, name) && fits(inner, item));
  }
  if ('boolean' in rule) return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  if ('oneOf' in rule) return rule.oneOf.includes(value);
  const characters = [...value].length;
  return characters >= rule.min && characters <= rule.max && rule.text.test(value) && value.isWellFormed();
}
