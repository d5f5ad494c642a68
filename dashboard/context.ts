/** What every page can use: the admin API, notifications, exports, and the dialog of new secrets. */
import { createContext, useContext } from 'react';
import type { Api } from './api/call-api.ts';
import type { CsvExport } from './components/columns.ts';

export interface NewSecrets {
  readonly title: string;
  readonly secrets: readonly { readonly label: string; readonly value: string }[];
}

interface Dashboard {
  readonly api: Api;
  /** A warning or an error stays until it is dismissed. */
  notify(type: 'success' | 'warning' | 'error', text: string): void;
  /** Saves all pages of a list as a CSV file, whatever page is shown meanwhile. */
  exportCsv<Row>(file: CsvExport<Row>): void;
  /** Until the user has saved them, whatever page is shown: nobody can view them again. */
  showSecrets(secrets: NewSecrets): void;
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined);

/** Whether the page was reached from another one, so that its heading gets the focus. */
export const NavigatedContext = createContext(false);

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error('this page is not in the dashboard');
  return dashboard;
}
