/** Light or dark mode. Follows the system's setting until the user chooses. The browser stores the choice. */
import { applyMode, Mode } from '@cloudscape-design/global-styles';
import { useLayoutEffect, useState } from 'react';
import { useMedia } from './components/media.ts';

const key = 'messaging-gateway.colours';

export function useColours() {
  const [chosen, setChosen] = useState(() => localStorage.getItem(key));
  const system = useMedia('(prefers-color-scheme: dark)') ? 'dark' : 'light';
  const colours = chosen === 'light' || chosen === 'dark' ? chosen : system;
  useLayoutEffect(() => {
    applyMode(colours === 'dark' ? Mode.Dark : Mode.Light);
    // For the styles of the sign-in page.
    document.documentElement.dataset.colours = colours;
  }, [colours]);
  const choose = (wanted: 'light' | 'dark'): void => {
    localStorage.setItem(key, wanted);
    setChosen(wanted);
  };
  return { colours, choose };
}
