/**
 * `npm run bench -- start [rounds] [function …]`: how long each function takes to start, against a bare handler with the
 * same SDK clients. A start is the loading of the bundle in a new process until its handler exists, without Node's boot.
 * It is measured in CPU time, which other work on the machine changes little.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleFunctions, bundleSettings } from '../../lib/build/bundle.ts';
import { buildBareHandler, commandsOf } from './bare-handler.ts';
import { median, printMachine, printTable, ratio } from './figures.ts';
import { functionEnvironment } from './function-environment.ts';

const [roundsText = '15', ...only] = process.argv.slice(2);
const rounds = Number(roundsText);
/** As in production: a bundle contains the carriers of its stage only. */
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
printTable(['function', 'KB', 'bare KB', 'start ms', 'bare ms', 'ratio'], rows);

function measure(name: string): string[] {
  const commands = commandsOf(metafile, name);
  const own = join(bundleFunctions().folder(name, {}, carriers), 'index.js');
  const bare = join(folder, name, 'bare.js');
  const bareBytes = buildBareHandler(commands, bare);
  const times: number[] = [];
  const bareTimes: number[] = [];
  // In turns, so that other work on the machine affects both alike.
  for (let round = 0; round < rounds; round += 1) {
    times.push(startMs(own));
    bareTimes.push(startMs(bare));
  }
  const [ms, bareMs] = [median(times), median(bareTimes)];
  return [
    name,
    kilobytes(statSync(own).size),
    kilobytes(bareBytes),
    ms.toFixed(1),
    bareMs.toFixed(1),
    ratio(ms / bareMs),
  ];
}

/** Loads the file as Lambda's runtime does. The time is the last line of standard error, after what the module prints. */
function startMs(file: string): number {
  const load = `const start = process.cpuUsage(); require(${JSON.stringify(file)});`;
  const tell = `setImmediate(() => { const { user, system } = process.cpuUsage(start); process.stderr.write('\\n' + (user + system) / 1000); });`;
  const env = {
    ...functionEnvironment,
    SMS_CARRIER: 'aws',
    WHATSAPP_CARRIER: 'aws',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
  const child = spawnSync(process.execPath, ['-e', load + tell], { env, encoding: 'utf8' });
  const ms = Number(child.stderr.split('\n').at(-1));
  if (child.status !== 0 || !(ms > 0)) throw new Error(`${file} does not start: ${child.stderr}`);
  return ms;
}

function kilobytes(bytes: number): string {
  return String(Math.round(bytes / 1024));
}
