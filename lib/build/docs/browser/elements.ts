/** Creates an element of the page. */

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...content);
  return made;
}

/** A block of code that the keyboard can scroll. */
export function codeOf(label: string, text: string): HTMLElement {
  return element('pre', { tabindex: '0', role: 'group', 'aria-label': label }, element('code', {}, text));
}

const announcements = element('p', { class: 'unseen', role: 'status' });
document.body.append(announcements);

/** Announces a text to screen readers. */
export function announce(text: string): void {
  announcements.textContent = text;
}
