/** The file of `npm start -- --carriers FILE`: the carriers of each channel, and the credentials of each. */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { unknownDeadlines } from '../../shared/contract/on-unknown.ts';
import { StartFailure } from './start-failure.ts';

const names = z.array(z.string().check(z.regex(/^[a-z]+$/))).check(z.minLength(1));
/** One, or two while they are changed. */
const credentials = z.record(z.string(), z.string());

const carriersFile = z.catchall(
  z.object({
    sms: z.optional(names),
    whatsapp: z.optional(names),
    unknown_deadline_seconds: z.optional(unknownDeadlines()),
  }),
  z.union([credentials, z.array(credentials)]),
);

export interface LocalCarriers {
  /** Settings of the stage; a channel that the file does not name stays simulated. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The value of each carrier's secret. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** @throws StartFailure that says what is wrong with the file. */
export function readCarriersFile(file: string): LocalCarriers {
  const { sms, whatsapp, unknown_deadline_seconds, ...secrets } = read(file);
  return {
    settings: {
      ...(sms === undefined ? {} : { smsCarrier: sms.join(',') }),
      ...(whatsapp === undefined ? {} : { whatsappCarrier: whatsapp.join(',') }),
      ...(unknown_deadline_seconds === undefined ? {} : { unknownDeadlineSeconds: unknown_deadline_seconds }),
    },
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
  };
}

function read(file: string): z.output<typeof carriersFile> {
  let text: unknown;
  try {
    text = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new StartFailure(`The carriers file ${file} cannot be read: ${String(cause)}`, { cause });
  }
  const parsed = carriersFile.safeParse(text);
  if (parsed.success) return parsed.data;
  // Without the fault's text, which may quote a credential.
  const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the whole').join(', ');
  throw new StartFailure(`The carriers file ${file} does not have the form of docs/local.md: ${fields}`);
}
