/** Replaces `shared/webhook/deliver/http-post.ts` in the simulated functions: POSTs of webhooks go to the simulated endpoints. */
import type { Post } from '../../../../shared/webhook/deliver/http-post.ts';

/** A parameter of the function around the code of a process. */
declare const simulatedPost: Post;

export function httpPost(): Post {
  return simulatedPost;
}

/** No name is resolved: the simulated endpoints answer without an address. */
export async function machineResolve(): Promise<never[]> {
  return [];
}

export const dnsResolve = () => machineResolve;
