/** A reply of the fake gateway, and when two requests mean the same (contract 5.7). */
export interface FakeReply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const refusal = (status: number, error: string, message: string, more: object = {}): FakeReply => ({
  status,
  body: { error, message, request_id: 'req_fake', ...more },
});

export const notFound = refusal(404, 'not_found', 'It does not exist, or it belongs to another client.');

export const idOf = (kind: string, count: number): string => `${kind}_${String(count).padStart(26, '0')}`;

export const validitySeconds = 259_200;

const defaults: Readonly<Record<string, object>> = {
  '/api/v1/sms/send': { type: 'transactional', validity_period: validitySeconds },
  '/api/v1/sms/bulk': { type: 'transactional', validity_period: validitySeconds },
  '/api/v1/whatsapp/send': { type: 'text', validity_period: validitySeconds },
  '/api/v1/otp/send': { channel: 'sms', code_length: 6, ttl: 300, max_attempts: 5, purpose: 'default' },
};

/** The same text for requests that differ only in nulls, defaults, the order of keys, and the form of the rows of a bulk. */
export function meaningOf(path: string, body: Readonly<Record<string, unknown>> | undefined): string {
  const given = Object.entries(body ?? {}).filter(([, value]) => value !== null);
  const meant = { ...defaults[path], ...Object.fromEntries(given) };
  const { recipients } = meant as { recipients?: readonly unknown[] };
  const rows = recipients?.map((row) => (typeof row === 'string' ? { to: row } : row));
  return JSON.stringify({ ...meant, recipients: rows }, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, one]) => one !== null)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value,
  );
}
