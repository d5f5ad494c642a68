/** Writes one log line for each request, and counts a response of 5xx as a failure of the function. */
import type { PolicyName } from '../contract/routes.ts';
import type { Clock } from '../platform/clock.ts';
import { countFunctionFailure } from '../platform/metrics.ts';
import { onEveryResponse, type Step } from './request-context.ts';

export type WriteLog = (level: 'info' | 'error', fields: Record<string, unknown>) => void;

export function requestLog(writeLog: WriteLog, policy: PolicyName, clock: Clock): Step {
  return onEveryResponse((request, response) => {
    const { event, incoming, requestId, identity, decision, logged } = request;
    const failed = response.statusCode >= 500;
    writeLog(failed ? 'error' : 'info', {
      request_id: requestId,
      method: event.httpMethod,
      path: event.path,
      status: response.statusCode,
      duration_ms: clock().getTime() - incoming.now.getTime(),
      source_ip: incoming.sourceIp,
      policy,
      remaining: decision?.binding.remaining,
      client_id: identity.caller?.clientId,
      ...logged,
    });
    if (failed) countFunctionFailure();
    return response;
  });
}
