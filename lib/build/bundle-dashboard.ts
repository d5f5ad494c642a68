/** The dashboard's files, bundled, compressed and listed beside the function that serves them. */
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

export interface DashboardSizes {
  /** What is transferred, compressed by gzip, until somebody can sign in. */
  readonly firstViewBytes: number;
  /** And with every page of the dashboard. */
  readonly wholeBytes: number;
}

export function bundleDashboard(root: string, outdir: string): DashboardSizes {
  const files = join(outdir, 'files');
  mkdirSync(files, { recursive: true });
  const options = optionsOf(root, files);
  // Scripts come in parts, each loaded with the page that needs it. Their styles would come in parts too, but
  // nothing would load those: so all styles are one file, taken from a build without parts.
  const scripts = buildSync({ ...options, splitting: true, metafile: true, loader: { '.css': 'empty' } });
  const styles = buildSync(options).outputFiles.filter(({ path }) => path.endsWith('.css'));
  const first = loadedFirst(scripts.metafile).map((path) => basename(path));
  const style = basename(styles[0]?.path ?? '');
  const page = Buffer.from(pageOf(first, style));
  const written = [
    ...scripts.outputFiles.map(({ path, contents }) =>
      writeFile(files, basename(path), Buffer.from(contents)),
    ),
    ...styles.map(({ contents }) => writeFile(files, style, Buffer.from(contents))),
    writeFile(files, 'index.html', page),
  ];
  writeFileSync(join(files, 'list.json'), JSON.stringify(written.map(({ file }) => file)));
  const bytes = (counted: typeof written): number =>
    counted.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
  const isFirst = (name: string): boolean => first.includes(name) || !name.endsWith('.js');
  return {
    firstViewBytes: bytes(written.filter(({ file }) => isFirst(file.name))),
    wholeBytes: bytes(written),
  };
}

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
    target: ['es2022', 'chrome115', 'firefox115', 'safari17'],
    format: 'esm',
    jsx: 'automatic',
    // The texts of other languages, which the library would load by itself.
    external: ['./messages/*'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  } as const satisfies BuildOptions;
}

/** The entry, and every part that it imports without waiting. */
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

/** Paths are relative to `/admin`, so the page works under API Gateway's stage as well as without it. */
function pageOf([entry = '', ...parts]: readonly string[], styles: string): string {
  const preload = parts.map((part) => `<link rel="modulepreload" href="admin/assets/${part}">\n`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Messaging gateway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="admin/assets/${styles}">
${preload}<script type="module" src="admin/assets/${entry}"></script>
</head>
<body><div id="root"><p class="not-started">The dashboard could not be loaded. The gateway may have just been updated: reload this page.</p></div><noscript>The dashboard needs JavaScript.</noscript></body>
</html>
`;
}

function writeFile(folder: string, name: string, content: Buffer) {
  const contentType = contentTypes[extname(name)];
  if (contentType === undefined) throw new Error(`no content type for ${name}`);
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const gzip = gzipSync(content, { level: 9 });
  // Two steps below the best cost a tenth of its time and a few percent of size.
  const brotli = brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } });
  writeFileSync(join(folder, `${name}.gzip`), gzip);
  writeFileSync(join(folder, `${name}.br`), brotli);
  return { file: { name, contentType, etag }, gzipBytes: gzip.length };
}
