/**
 * `npm run bench -- against CHECKOUT [rounds] [requests per slice] [slices]`: start and throughput of `sms/send` against those of
 * another checkout of the project, such as the commit before a change, taking turns. A ratio above 1 is faster than there.
 */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { bundleFunctions } from '../../lib/build/bundle.ts';
import { median, printMachine, printTable, ratiosOf } from './figures.ts';
import { applyLoad, type Load, takeTurns } from './load.ts';
import { silenceLog, startLocalFunctions } from './local-functions.ts';
import { startMs } from './start-time.ts';

const [checkout = '', ...numbers] = process.argv.slice(2);
const [rounds = 31, requests = 100, slices = 31] = numbers.map(Number);
/** Until the engine and Node have compiled what they run. */
const warmUpRequests = 1500;

silenceLog();
printMachine(`npm run bench -- against CHECKOUT ${rounds} ${requests} ${slices}`);
const folders = { own: bundleFunctions().folder('send-sms'), other: bundleIn(resolve(checkout)) };
const rows = [starts()];
const local = await startLocalFunctions();
try {
  const sends = { own: sendBy(folders.own), other: sendBy(folders.other) };
  for (const send of Object.values(sends)) await applyLoad(warmUpRequests, 8, send);
  for (const inFlight of [1, 8]) {
    const loads = await takeTurns(sends, inFlight, { count: slices, work: requests });
    rows.push(rowOf(`requests/s, ${inFlight} in flight`, loads, ({ perSecond }) => perSecond));
  }
} finally {
  await local.stop();
}
printTable(['sms/send', 'own', 'other', 'ratio', 'quartiles'], rows);

/** The folder of the other checkout's bundle, which that checkout makes itself. */
function bundleIn(cwd: string): string {
  const program = `import { bundleFunctions } from './lib/build/bundle.ts';
process.stdout.write(bundleFunctions().folder('send-sms'));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' });
}

function starts(): string[] {
  const load = (folder: string): Load => {
    const ms = startMs(join(folder, 'index.js'));
    return { perSecond: 1000 / ms, latenciesMs: [ms] };
  };
  const loads: Record<'own' | 'other', Load[]> = { own: [], other: [] };
  for (let round = 0; round < rounds; round += 1) {
    // The two take turns at being first, so that other work of the machine slows both equally.
    for (const name of round % 2 === 0 ? (['own', 'other'] as const) : (['other', 'own'] as const))
      loads[name].push(load(folders[name]));
  }
  return rowOf('start, ms of CPU', loads, ({ latenciesMs: [ms = Number.NaN] }) => ms);
}

function rowOf(
  name: string,
  { own, other }: Record<'own' | 'other', Load[]>,
  of: (load: Load) => number,
): string[] {
  return [name, ...[own, other].map((loads) => median(loads.map(of)).toFixed(0)), ...ratiosOf(own, other)];
}

function sendBy(folder: string) {
  return async (index: number): Promise<void> => {
    const body = {
      to: `+447700900${String(index % 1000).padStart(3, '0')}`,
      message: 'Your parcel arrives today.',
    };
    const request = { method: 'POST', path: '/api/v1/sms/send', body };
    const { statusCode, body: text } = await local.call('send-sms', request, folder);
    if (statusCode !== 202) throw new Error(`send answered ${statusCode}: ${text}`);
  };
}
