/** Bundles and compresses the dashboard's files, and adds them with an index to the function that serves them. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export function bundleDashboard(root: string, outdir: string) {
  const files = join(outdir, 'files');
  mkdirSync(files, { recursive: true });
  const options = optionsOf(root, files);
  // Scripts are split into chunks that pages load on demand. Styles of a chunk would not be loaded, so a second build
  // without chunks puts all styles into one file. The skeleton and the sign-in page have styles of their own, because they
  // are shown first.
  const scripts = buildSync({ ...options, splitting: true, metafile: true, loader: { '.css': 'empty' } });
  const styles = buildSync(options).outputFiles.filter(({ path }) => path.endsWith('.css'));
  const [firstStyles] = buildSync({ ...options, entryPoints: { first: 'dashboard/first.css' } }).outputFiles;
  if (firstStyles === undefined) throw new Error('the dashboard has no first styles');
  const firstStyle = basename(firstStyles.path);
  const first = loadedFirst(scripts.metafile).map((path) => basename(path));
  const style = basename(styles[0]?.path ?? '');
  const page = Buffer.from(pageOf(first, firstStyle, style));
  const written = [
    ...scripts.outputFiles.map(({ path, contents }) =>
      writeFile(files, basename(path), Buffer.from(contents)),
    ),
    ...styles.map(({ contents }) => writeFile(files, style, Buffer.from(contents))),
    writeFile(files, firstStyle, Buffer.from(firstStyles.contents)),
    writeFile(files, 'index.html', page),
  ];
  writeFileSync(join(files, 'list.json'), JSON.stringify(written.map(({ file }) => file)));
  const bytes = (counted: typeof written): number =>
    counted.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
  const isFirst = (name: string): boolean => [...first, firstStyle, 'index.html'].includes(name);
  return {
    /** The bytes of the sign-in page's files, after gzip. */
    firstViewBytes: bytes(written.filter(({ file }) => isFirst(file.name))),
    /** The bytes of all pages, after gzip. */
    wholeBytes: bytes(written),
  };
}

const noDragAndDrop = join(import.meta.dirname, 'dashboard-stubs', 'no-drag-and-drop.ts');

function optionsOf(root: string, outdir: string) {
  return {
    absWorkingDir: root,
    entryPoints: { main: 'dashboard/main.tsx' },
    outdir,
    write: false,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    minify: true,
    legalComments: 'none',
    platform: 'browser',
    target: ['es2022', 'chrome116', 'firefox124', 'safari17.4'],
    format: 'esm',
    jsx: 'automatic',
    // The library's translations are left out.
    external: ['./messages/*'],
    alias: {
      '@dnd-kit/core': noDragAndDrop,
      '@dnd-kit/sortable': noDragAndDrop,
      '@dnd-kit/utilities': noDragAndDrop,
      // The library's texts are already parsed, so its parser is replaced by formatjs's entry without one.
      '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/lib/no-parser.js',
    },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  } as const satisfies BuildOptions;
}

/** Returns the entry's files, and every chunk that it imports statically. */
function loadedFirst({ outputs }: Metafile): string[] {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith('main.tsx'));
  if (entry === undefined) throw new Error('the dashboard has no script');
  const found = new Set([entry]);
  for (const path of found) {
    for (const imported of outputs[path]?.imports ?? []) {
      if (imported.kind === 'import-statement') found.add(imported.path);
    }
  }
  return [...found];
}

/**
 * Returns the page. The page's paths are relative to `/admin`, so it works with and without API Gateway's stage in the
 * path.
 */
function pageOf([entry = '', ...parts]: readonly string[], firstStyle: string, styles: string): string {
  const preload = parts.map((part) => `<link rel="modulepreload" href="admin/assets/${part}">\n`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Messaging gateway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="admin/assets/${firstStyle}">
<meta name="styles" content="admin/assets/${styles}">
${preload}<script type="module" src="admin/assets/${entry}"></script>
</head>
<body><div id="root"><div class="skeleton"></div><p class="not-started">The dashboard could not be loaded. The gateway may have just been updated: reload this page.</p></div><noscript>The dashboard needs JavaScript.</noscript></body>
</html>
`;
}

function writeFile(folder: string, name: string, content: Buffer) {
  const contentType = contentTypes[extname(name)];
  if (contentType === undefined) throw new Error(`no content type for ${name}`);
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const gzip = gzipSync(content, { level: 9 });
  // Two levels below the maximum, compression takes a tenth of the time, and the result is only a few percent larger.
  const brotli = brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } });
  writeFileSync(join(folder, `${name}.gzip`), gzip);
  writeFileSync(join(folder, `${name}.br`), brotli);
  return { file: { name, contentType, etag }, gzipBytes: gzip.length };
}
