/** Loads the styles of the library, which the sign-in page does without; the page names their file. */

let loading: Promise<void> | undefined;

/** Once; again after a failure. */
export function loadStyles(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const file = document.querySelector<HTMLMetaElement>('meta[name=styles]')?.content ?? '';
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = file;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading = undefined;
      reject(new Error(`${file} could not be loaded`));
    };
    document.head.append(link);
  });
  return loading;
}
