/** What every page can use: the admin API, and notifications. */
import { createContext, useContext } from 'react';
import type { Api } from './api/client.ts';

export interface About {
  readonly version: string;
  readonly client_id: string;
  readonly name: string;
  /** Whether the simulator is the carrier. */
  readonly outbox: boolean;
}

export interface Dashboard {
  readonly api: Api;
  readonly about: About;
  notify(type: 'success' | 'error', text: string): void;
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined);

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error('this page is not in the dashboard');
  return dashboard;
}
