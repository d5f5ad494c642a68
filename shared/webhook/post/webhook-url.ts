/** A webhook URL in a request: refused at once where it could never be called (contract, section 7). */
import * as z from 'zod/mini';
import type { Environment, webhookRuleNames } from '../../platform/env.ts';
import { type AddressRules, checkUrl } from './address-guard.ts';

export function addressRules(env: Environment<(typeof webhookRuleNames)[number]>): AddressRules {
  return {
    allowLoopback: env.WEBHOOK_ALLOW_LOOPBACK,
    allowHttp: env.WEBHOOK_ALLOW_HTTP,
    ports: env.WEBHOOK_PORTS,
  };
}

/** Accepts the URLs that this deployment may call, as they were written. */
export function webhookUrlSchema(rules: AddressRules): z.ZodMiniType<string> {
  return z.string().check(
    z.superRefine((text, context) => {
      const verdict = checkUrl(text, rules);
      if (!verdict.allowed) context.addIssue({ code: 'custom', message: verdict.reason });
    }),
  );
}
