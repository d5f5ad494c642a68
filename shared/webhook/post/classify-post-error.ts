/** Classifies the error of a POST that received no status line, by the phase it reached and the socket's error code. */
import { acknowledgeWithinSeconds } from '../../contract/retry-delays.ts';
import type { AttemptError } from '../delivery.ts';

/** What a POST is waiting for. */
export type Phase = 'dns' | 'connect' | 'tls' | 'answer';

type PostEnd = { readonly kind: 'complete' | 'timeout' } | { readonly kind: 'error'; readonly error: Error };

const waitedFor: Readonly<Record<Phase, string>> = {
  dns: "the name's resolution",
  connect: 'the connection',
  tls: 'the TLS handshake',
  answer: 'the response',
};

const resets = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

export function classifyError(end: PostEnd, phase: Phase): { error: AttemptError; errorMessage: string } {
  if (end.kind !== 'error') {
    const errorMessage = `no status line within ${acknowledgeWithinSeconds} s, waiting for ${waitedFor[phase]}`;
    return { error: 'timeout', errorMessage };
  }
  const code = 'code' in end.error ? String(end.error.code) : '';
  return { error: classOf(code, phase), errorMessage: (end.error.message || code).slice(0, 500) };
}

function classOf(code: string, phase: Phase): AttemptError {
  if (code === 'EBLOCKED') return 'blocked';
  if (code === 'ETIMEDOUT' || code === 'ETIMEOUT') return phase === 'dns' ? 'dns' : 'timeout';
  if (phase === 'dns') return 'dns';
  if (phase === 'connect') return resets.includes(code) ? 'reset' : 'refused';
  if (resets.includes(code)) return 'reset';
  if (phase === 'tls') return 'tls';
  return code.startsWith('HPE_') ? 'not_200' : 'reset';
}
