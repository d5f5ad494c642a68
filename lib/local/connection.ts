/** The connection file, by which other programs find and use a local gateway (contract, section 9). */
import type { LocalGateway } from './gateway.ts';

/** The credentials of the demo clients, as the local gateway prints them (contract, section 9). */
export interface DemoClients {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  readonly test_api_key: string;
  readonly webhook_secret: string;
  readonly admin: { readonly client_id: string; readonly client_secret: string };
}

export type Connection = ReturnType<typeof connectionOf>;

export function connectionOf(gateway: LocalGateway, clients: DemoClients) {
  const { baseUrl: base_url, aws, tables, queues, secrets, settings } = gateway;
  return { base_url, ...clients, aws, tables, queues, secrets, settings };
}
