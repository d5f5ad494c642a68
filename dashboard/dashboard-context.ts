/** The admin API, notifications, and the dialog of new secrets, for every page. */
import { createContext, useContext } from 'react';
import type { apiOf } from './api/call-api.ts';

export interface NewSecrets {
  readonly title: string;
  readonly secrets: readonly { readonly label: string; readonly value: string }[];
}

interface Dashboard {
  readonly api: ReturnType<typeof apiOf>;
  /** A warning or an error stays until it is dismissed. */
  notify(type: 'success' | 'warning' | 'error', text: string): void;
  /** Shows secrets on every page until the user has saved them. They cannot be shown again. */
  showSecrets(secrets: NewSecrets): void;
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined);

/** True if the user came from another page, so that the heading gets the focus. */
export const NavigatedContext = createContext(false);

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error('this page is not in the dashboard');
  return dashboard;
}
