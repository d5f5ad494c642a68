/** Whether the window is narrow, as on a phone: Cloudscape's grid then has one column. */
import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 688px)');

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}
