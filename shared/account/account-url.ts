/** The current webhook URL of a client's account (contract, section 7). */
import { $ZodError } from 'zod/v4/core';
import type { ClientStore } from '../client/client-store.dynamo.ts';
import { log } from '../platform/log.ts';

/** A client row that cannot be parsed is logged; its client gets no account webhooks, the other clients are not affected. */
export function accountUrls(clients: Pick<ClientStore, 'find'>) {
  return async (clientId: string): Promise<string | undefined> => {
    try {
      return (await clients.find(clientId))?.webhook_url;
    } catch (error) {
      if (!(error instanceof $ZodError)) throw error;
      log.error('client row unreadable', { client_id: clientId, fields: error.issues.map((i) => i.path) });
      return undefined;
    }
  };
}
