/** A resend of many webhooks as clients and administrators see it. */
import type { Resend } from './resend.ts';
import type { ResendView } from './resend-response.schema.ts';

export function resendView(resend: Resend): ResendView {
  return {
    resend_id: resend.resend_id,
    status: resend.status,
    endpoint_id: resend.endpoint_id ?? null,
    origin: resend.origin ?? null,
    state: resend.state,
    since: resend.since,
    until: resend.until,
    matched: resend.matched,
    resent: resend.resent,
    // What was acknowledged, or resent otherwise, since it was counted.
    skipped: resend.status === 'completed' ? resend.matched - resend.resent : 0,
    created_at: resend.created_at,
    completed_at: resend.completed_at ?? null,
  };
}
