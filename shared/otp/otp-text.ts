/** The text of a one-time password without its code: it says how long the password is still valid, so it is rendered late. */
import { render } from '../message/send/template.ts';

interface TextFields {
  readonly template?: string | undefined;
  readonly brand?: string | undefined;
}

/** With `{{code}}` and `{{ttl_minutes}}`; `{{minutes}}` is the unit, and no placeholder that a request can have. */
export function otpTemplate({ template, brand = '' }: TextFields): string {
  const what = brand === '' ? 'verification code' : '{{brand}} verification code';
  const given = template ?? `{{code}} is your ${what}. It expires in {{ttl_minutes}} {{minutes}}.`;
  return filled(given, { ...kept, brand });
}

export function otpText(template: string, expiresAt: Date, now: Date): string {
  const minutes = Math.max(1, Math.round((expiresAt.getTime() - now.getTime()) / 60_000));
  return filled(template, {
    ...kept,
    ttl_minutes: String(minutes),
    minutes: minutes === 1 ? 'minute' : 'minutes',
  });
}

/** Filled in later. */
const kept = { code: '{{code}}', ttl_minutes: '{{ttl_minutes}}', minutes: '{{minutes}}' };

function filled(text: string, values: Readonly<Record<string, string>>): string {
  const rendered = render(text, values);
  return rendered.ok ? rendered.text : text;
}
