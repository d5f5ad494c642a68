/** The language of the samples that the reader chose, remembered by the browser. */
const key = 'sample-language';

/** Sets the choice as an attribute of the page; the style sheet then shows the samples of that language. */
export function applyLanguage(language: string): void {
  document.documentElement.dataset.language = language;
}

export function rememberLanguage(language: string): void {
  try {
    localStorage.setItem(key, language);
  } catch {
    // The browser permits no storage: the choice ends with the page.
  }
}

export function rememberedLanguage(): string {
  try {
    return localStorage.getItem(key) ?? 'curl';
  } catch {
    return 'curl';
  }
}
