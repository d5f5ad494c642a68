/**
 * `npm run bench:memory [invocations]`: what one process of a function holds over so many invocations (2,000; in full
 * 50,000), each with a number, a text and a request id of its own: after a collection, at every fifth of the way.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { printMachine, printTable } from './figures.ts';
import { applyLoad } from './load.ts';
import { type LocalRequest, silenceLog, startLocalFunctions } from './local-functions.ts';

const [invocations = 2000] = process.argv.slice(2).map(Number);
const stretches = 5;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
silenceLog();
printMachine(`npm run bench:memory -- ${invocations}`);
const local = await startLocalFunctions();
try {
  const functions: Readonly<Record<string, (i: number) => LocalRequest>> = {
    'send-sms': (i) => ({
      method: 'POST',
      path: '/api/v1/sms/send',
      body: { to: `+4477${String(i % 1e8).padStart(8, '0')}`, message: `Parcel ${i} arrives today.` },
    }),
    'get-message-status': (i) => {
      const message_id = `msg_${String(i).padStart(26, '0')}`;
      return { path: `/api/v1/sms/status/${message_id}`, pathParameters: { message_id } };
    },
    'list-messages': (i) => ({ path: '/api/v1/messages', query: { reference: `order-${i}` } }),
    'get-account': () => ({ path: '/api/v1/account' }),
    'refuse-unmatched': (i) => ({ path: `/nowhere/${i}` }),
  };
  const rows: string[][] = [];
  for (const [name, requestOf] of Object.entries(functions)) {
    const heapMb: number[] = [];
    for (let stretch = 0; stretch < stretches; stretch += 1) {
      const each = Math.ceil(invocations / stretches);
      await applyLoad(each, 8, (i) => local.call(name, requestOf(stretch * each + i)));
      collect();
      heapMb.push(process.memoryUsage().heapUsed / 2 ** 20);
    }
    const growth = (heapMb.at(-1) ?? 0) - (heapMb[1] ?? 0);
    rows.push([name, ...heapMb.map((mb) => mb.toFixed(1)), `${growth >= 0 ? '+' : ''}${growth.toFixed(2)}`]);
  }
  console.log(`Heap in MB after each fifth of ${invocations.toLocaleString('en')} invocations`);
  printTable(['function', '20 %', '40 %', '60 %', '80 %', '100 %', '40 % to 100 %'], rows);
} finally {
  await local.stop();
}
