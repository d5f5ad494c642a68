/** The one-time passwords of the fake gateway (contract 5.8 and 5.10). */
import type {
  Message,
  OtpMessage,
  OtpVerification,
  OtpVerificationResult,
  SentOtp,
} from '../generated/schema.ts';
import { type FakeReply, idOf, notFound, refusal } from './fake-reply.ts';

interface Password {
  readonly otp_id: string;
  readonly recipient: string;
  readonly purpose: string;
  readonly code: string;
  readonly expiresAt: string;
  attemptsRemaining: number;
  isVerified: boolean;
}

const windowMs = 600_000;
const sendsMax = 5;

export class FakePasswords {
  readonly #passwords = new Map<string, Password>();
  readonly #sends: { readonly to: string; readonly atMs: number }[] = [];

  codeOf(otpId: string): string | undefined {
    return this.#passwords.get(otpId)?.code;
  }

  /** @param send - stores the message, until the password expires */
  send(request: OtpMessage, send: (expiresAt: string) => Message): FakeReply {
    const now = Date.now();
    const { to } = request;
    const earlier = this.#sends.filter((one) => one.to === to && one.atMs + windowMs > now);
    if (earlier.length >= sendsMax) {
      const retry_after = Math.max(1, Math.ceil(((earlier[0]?.atMs ?? now) + windowMs - now) / 1000));
      const text = 'At most 5 one-time passwords go to one recipient in 10 minutes.';
      return refusal(429, 'rate_limit_exceeded', text, { retry_after });
    }
    this.#sends.push({ to, atMs: now });
    const password = this.#pending(to, request.purpose ?? 'default') ?? this.#make(request);
    const { message_id, channel, recipient, reference } = send(password.expiresAt);
    const body: SentOtp = {
      ...{ otp_id: password.otp_id, message_id, status: 'pending', channel, recipient, reference },
      expires_at: password.expiresAt,
      attempts_remaining: password.attemptsRemaining,
    };
    return { status: 202, body };
  }

  verify({ otp_id, to, purpose, code }: OtpVerification): FakeReply {
    const password = otp_id ? this.#passwords.get(otp_id) : this.#latest(to ?? '', purpose ?? 'default');
    const isNamed =
      password !== undefined &&
      (to ?? password.recipient) === password.recipient &&
      (purpose ?? password.purpose) === password.purpose;
    if (!isNamed) return notFound;
    if (password.isVerified)
      return refusal(409, 'otp_already_used', 'This one-time password was used before.');
    if (password.expiresAt <= new Date().toISOString())
      return refusal(410, 'otp_expired', 'This one-time password has expired. Send a new one.');
    if (password.attemptsRemaining === 0)
      return refusal(409, 'otp_attempts_exhausted', 'All attempts for this one-time password are used up.');
    password.attemptsRemaining -= 1;
    password.isVerified = password.code === code;
    const id = { otp_id: password.otp_id };
    const body: OtpVerificationResult = password.isVerified
      ? { ...id, verified: true, status: 'verified' }
      : { ...id, verified: false, status: 'pending', attempts_remaining: password.attemptsRemaining };
    return { status: 200, body };
  }

  #latest(to: string, purpose: string): Password | undefined {
    return [...this.#passwords.values()]
      .filter((one) => one.recipient === to && one.purpose === purpose)
      .at(-1);
  }

  #pending(to: string, purpose: string): Password | undefined {
    const latest = this.#latest(to, purpose);
    const isPending =
      latest?.isVerified === false &&
      latest.attemptsRemaining > 0 &&
      latest.expiresAt > new Date().toISOString();
    return isPending ? latest : undefined;
  }

  #make({ to, purpose, code_length, ttl, max_attempts }: OtpMessage): Password {
    const password: Password = {
      otp_id: idOf('otp', this.#passwords.size + 1),
      recipient: to,
      purpose: purpose ?? 'default',
      code: '1234567890'.slice(0, code_length ?? 6),
      expiresAt: new Date(Date.now() + (ttl ?? 300) * 1000).toISOString(),
      attemptsRemaining: max_attempts ?? 5,
      isVerified: false,
    };
    this.#passwords.set(password.otp_id, password);
    return password;
  }
}
