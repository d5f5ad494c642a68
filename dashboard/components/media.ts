/** What the window is like: its width, the colours that the system has. */
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

/** As on a phone: Cloudscape's grid then has one column. */
export function useIsNarrow(): boolean {
  return useMedia('(max-width: 688px)');
}
