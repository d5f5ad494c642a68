/**
 * `npm run bench -- start [rounds] [function …]`: what each function takes to start and to carry, against a bare handler
 * with the same SDK clients. A start is the loading of the bundle in a new process until its handler exists,
 * without Node's boot, in CPU time: on a quiet machine the same as time, on a busy one still the same. Two measures: the bare handler as one would build it (`ordinary`), and built by our
 * own settings (`own settings`), which tells what the gateway's code alone adds.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleFunctions, bundleSettings } from '../../lib/build/bundle.ts';
import { buildBareHandler, commandsOf, ordinarySettings } from './bare-handler.ts';
import { median, printMachine, printTable, ratio } from './figures.ts';
import { startMs } from './start-time.ts';

const [roundsText = '15', ...only] = process.argv.slice(2);
const rounds = Number(roundsText);
/** As in production: a bundle has the carriers of its stage only. */
const carriers = ['aws', 'simulator'];
const functionNames = readdirSync(join(import.meta.dirname, '../../functions'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => parse(file).name)
  .filter((name) => only.length === 0 || only.includes(name))
  .sort();

const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { metafile } = buildSync({
  ...bundleSettings,
  entryPoints: functionNames.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
  outdir: folder,
  write: false,
  metafile: true,
});

printMachine(`npm run bench -- start ${rounds}`);
const rows = functionNames.map(measure);
printTable(['function', 'KB', 'bare KB', 'start ms', 'bare ms', 'ratio', 'ratio, own settings'], rows);

function measure(name: string): string[] {
  const commands = commandsOf(metafile, name);
  const own = join(bundleFunctions().folder(name, {}, carriers), 'index.js');
  const [bare, bareOwn] = [join(folder, name, 'bare.js'), join(folder, name, 'bare-own.js')];
  const bareBytes = buildBareHandler(commands, bare, ordinarySettings);
  buildBareHandler(commands, bareOwn, bundleSettings);
  const times = new Map([own, bare, bareOwn].map((file) => [file, [] as number[]]));
  // One after the other in each round, so that what else the machine does meets all three alike.
  for (let round = 0; round < rounds; round += 1)
    for (const [file, found] of times) found.push(startMs(file));
  const [ms = 0, bareMs = 0, bareOwnMs = 0] = [own, bare, bareOwn].map((file) =>
    median(times.get(file) ?? []),
  );
  return [
    name,
    kilobytes(statSync(own).size),
    kilobytes(bareBytes),
    ms.toFixed(1),
    bareMs.toFixed(1),
    ratio(ms / bareMs),
    ratio(ms / bareOwnMs),
  ];
}

function kilobytes(bytes: number): string {
  return String(Math.round(bytes / 1024));
}
