/** A person at a page: one who uses a pointer, whose clicks are counted, or one who uses the keyboard alone. */
import type { Locator, Page } from 'playwright-core';

export interface User {
  /** Follows a link, or pushes a button. */
  activate(target: Locator): Promise<void>;
  /** Writes into a field, and sends it with Enter. */
  enter(field: Locator, text: string): Promise<void>;
  /** Since the last `forgetClicks`. */
  clicks(): Promise<number>;
  forgetClicks(): Promise<void>;
}

/** @param page - not yet loaded, or about to be reloaded */
export async function userOf(page: Page, by: 'pointer' | 'keyboard'): Promise<User> {
  await page.addInitScript(`
    globalThis.clicks = 0;
    // A click that Playwright repeats, because the page moved under the pointer, is prevented the first time.
    const count = (event) => { if (!event.defaultPrevented) globalThis.clicks += 1; };
    addEventListener('pointerdown', (event) => setTimeout(count, 0, event), true);
  `);
  const counted = {
    // A click is counted by a timer, so the count is read by a later one.
    clicks: async () =>
      Number(await page.evaluate('new Promise((read) => setTimeout(() => read(globalThis.clicks), 0))')),
    forgetClicks: async () => {
      await page.evaluate('globalThis.clicks = 0');
    },
  };
  if (by === 'pointer') {
    return {
      ...counted,
      activate: (target) => target.click(),
      async enter(field, text) {
        await field.fill(text);
        await field.press('Enter');
      },
    };
  }
  return {
    ...counted,
    async activate(target) {
      await moveTo(page, target);
      await page.keyboard.press('Enter');
    },
    async enter(field, text) {
      await moveTo(page, field);
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    },
  };
}

/** More than any page has on the way to what is looked for. */
const keysMax = 150;

/**
 * Presses Tab until the focus is on the target. In the table of the target the arrow keys are tried first, towards the target:
 * most tables are one stop of Tab.
 */
async function moveTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const passed: string[] = [];
  for (let keys = 0; keys < keysMax; keys += 1) {
    const key = await target.evaluate(nextKey);
    if (key === undefined) return;
    await page.keyboard.press(key);
    const isStuck = key !== 'Tab' && (await page.evaluate('globalThis.focused === document.activeElement'));
    if (isStuck) await page.keyboard.press('Tab');
    passed.push(`${key}: ${await focusedName(page)}`);
  }
  throw new Error(`the keyboard does not reach ${target}, only ${passed.join(' | ')}`);
}

interface Cell {
  readonly cellIndex: number;
  readonly parentElement: { readonly rowIndex: number };
}

interface Node {
  readonly ownerDocument: { readonly activeElement: Node | null };
  contains(other: Node | null): boolean;
  closest(selector: string): (Node & Cell) | null;
}

/** In the browser: undefined if the target has the focus. */
function nextKey(element: unknown): string | undefined {
  const target = element as Node;
  const focused = target.ownerDocument.activeElement;
  if (focused === target) return undefined;
  Object.assign(globalThis, { focused });
  const table = target.closest('table[role=grid]');
  const [to, from] = [target.closest('td, th'), focused?.closest('td, th')];
  if (table?.contains(focused) !== true || to === null || from == null) return 'Tab';
  const rows = to.parentElement.rowIndex - from.parentElement.rowIndex;
  if (rows !== 0) return rows > 0 ? 'ArrowDown' : 'ArrowUp';
  const columns = to.cellIndex - from.cellIndex;
  if (columns !== 0) return columns > 0 ? 'ArrowRight' : 'ArrowLeft';
  return 'Tab';
}

/** Returns the text that a screen reader would read for the focused element: its label, or its content. */
async function focusedName(page: Page): Promise<string> {
  const name = await page.evaluate(
    "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()",
  );
  return String(name).slice(0, 40);
}
