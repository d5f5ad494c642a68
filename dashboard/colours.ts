/** Light or dark mode: the system's setting until the user chooses; the choice is remembered. */
import { applyMode, Mode } from '@cloudscape-design/global-styles';

type Colours = 'light' | 'dark';

const key = 'messaging-gateway.colours';

export function startingColours(): Colours {
  const chosen = localStorage.getItem(key);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function applyColours(colours: Colours): void {
  applyMode(colours === 'dark' ? Mode.Dark : Mode.Light);
}

export function chooseColours(colours: Colours): void {
  localStorage.setItem(key, colours);
  applyColours(colours);
}
