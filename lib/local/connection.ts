/** The connection file: how other programs use a local gateway (contract, section 9). */
import * as z from 'zod/mini';
import type { StackResources } from '../constructs/stack-outputs.ts';
import type { LocalGateway } from './gateway.ts';

/** The credentials of the demo clients; the local gateway prints them in this form (contract, section 9). */
export const demoClientsSchema = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  api_key: z.string(),
  /** Absent in a data folder of an earlier release. */
  test_api_key: z.optional(z.string()),
  webhook_secret: z.string(),
  admin: z.object({ client_id: z.string(), client_secret: z.string() }),
});
export type DemoClients = z.output<typeof demoClientsSchema>;

export interface Connection extends DemoClients, StackResources, Pick<LocalGateway, 'aws' | 'settings'> {
  readonly base_url: string;
}

export function connectionOf(gateway: LocalGateway, clients: DemoClients): Connection {
  const { baseUrl: base_url, aws, tables, queues, secrets, settings } = gateway;
  return { base_url, ...clients, aws, tables, queues, secrets, settings };
}
