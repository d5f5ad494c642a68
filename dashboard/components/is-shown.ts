/** Whether the component is still on the page, for work that ends after it was left. */
import { type RefObject, useEffect, useRef } from 'react';

export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
