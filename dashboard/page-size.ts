/** The page size of all lists. The browser stores the choice. */
import { useSyncExternalStore } from 'react';

const key = 'messaging-gateway.rows';
/** The last one is the maximum of the admin API. */
export const pageSizes = ['25', '50', '100'] as const;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function stored(): string {
  return pageSizes.find((size) => size === localStorage.getItem(key)) ?? pageSizes[0];
}

export function usePageSize(): string {
  return useSyncExternalStore(subscribe, stored);
}

export function choosePageSize(size: string): void {
  localStorage.setItem(key, size);
  for (const listener of listeners) listener();
}
