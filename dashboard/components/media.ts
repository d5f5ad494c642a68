/** Media queries: the width of the window and the colour scheme of the system. */
import { useCallback, useSyncExternalStore } from 'react';

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', onChange);
      return () => list.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** True if the window is as narrow as on a phone. Cloudscape's grid then has one column. */
export function useIsNarrow(): boolean {
  return useMedia('(max-width: 688px)');
}
