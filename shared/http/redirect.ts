/** A redirect to a page of the gateway, right on API Gateway's own address with its stage, on a domain name and locally. */
import type { ApiResponse } from '../operation/operation.ts';

const thisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * On AWS to the gateway's own address, which has the stage in its path (`…/prod`) or is a domain name. A local gateway can be
 * reached by several names, such as that of a tunnel, and its function does not know which one the caller used: the path
 * alone keeps it.
 *
 * @param baseUrl - where clients call the API, without a slash at its end
 */
export function redirectTo(baseUrl: string, path: string): ApiResponse {
  const isLocal = thisMachine.has(new URL(baseUrl).hostname);
  return {
    status: 302,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      Location: isLocal ? path : `${baseUrl}${path}`,
      'Cache-Control': 'public, max-age=300',
    },
    body: '',
  };
}
