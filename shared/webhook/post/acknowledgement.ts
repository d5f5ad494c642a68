/** What acknowledges a webhook: status 200, and no other (specification, section 6). */
import type { AttemptError } from '../delivery.ts';

/** Empty where the status acknowledges it. */
export function verdictOf(status: number): { error?: AttemptError; errorMessage?: string } {
  if (status === 200) return {};
  const redirect = status >= 300 && status < 400;
  return { error: redirect ? 'redirect' : 'not_200', errorMessage: `answered with status ${status}` };
}
