/**
 * Certifies a carrier offline: sends messages through a local gateway whose carriers are doubles of the vendors, while calls
 * and reports go wrong and workers are killed, and judges by the doubles' own ledgers.
 * `npm run test:carriers -- CARRIER [--spec FILE] [--messages 2000] [--seed N]`
 */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { vendors } from '../support/carrier/vendors/vendors.ts';
import { faultPlan } from './faults.ts';
import { keepKilling, startGateway } from './gateway.ts';
import { judge } from './judge.ts';
import { startStandIn } from './stand-in.ts';
import { sendAll, settledWithin } from './traffic.ts';

const program = new Command()
  .name('npm run test:carriers --')
  .argument('<carrier>', `one of ${vendors.map(({ name }) => name).join(', ')}`)
  .option('--spec <file>', 'another OpenAPI description of its API, as JSON')
  .option('--messages <number>', 'how many', Number, 2000)
  .option('--seed <number>', 'a seed has the same faults again', Number, randomInt(2 ** 31))
  .parse();
const { spec, messages: count, seed } = program.opts<{ spec?: string; messages: number; seed: number }>();
const [name] = program.args;

/** What nobody took, and nobody can be asked about, waits until its validity ends; workers are slow while they are killed. */
const validitySeconds = 90 + Math.round(count / 8);
const deadlineSeconds = { otp: 5, other: 10 };
const settledWithinSeconds = 900;
const victims = ['DispatchMessage', 'RecordReceipt', 'CarrierCallback'];
const killEveryMs = 1000;
const shownFaults = 5;

const vendor = vendors.find((one) => one.name === name);
if (vendor === undefined) program.error(`There is no vendor ${name}.`);
else process.exit(await certify());

async function certify(): Promise<number> {
  const { channel } = vendor as NonNullable<typeof vendor>;
  console.log(`${count} messages through ${name}, seed ${seed}`);
  // The others of the channel come next, in the place to which a message may go twice.
  const inOrder = vendors
    .filter((one) => one.channel === channel)
    .toSorted((one, other) => Number(other.name === name) - Number(one.name === name));
  const plan = faultPlan(seed);
  const standIns = await Promise.all(
    inOrder.map((one) => startStandIn(one, plan, one.name === name ? spec : undefined)),
  );
  const gateway = await startGateway({
    [channel]: inOrder.map((one) => one.name),
    unknown_deadline_seconds: deadlineSeconds,
    ...Object.fromEntries(
      inOrder.map((one, index) => [one.name, { base_url: standIns[index]?.url, ...one.credentials }]),
    ),
  });
  try {
    for (const standIn of standIns) standIn.reportTo(gateway.baseUrl);
    const startedAt = Date.now();
    const stopKilling = keepKilling(gateway, victims, killEveryMs);
    const sent = await sendAll(gateway, channel, count, validitySeconds);
    const killed = await stopKilling();
    const settled = await settledWithin(gateway, count, settledWithinSeconds);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    for (const { ledger } of standIns) {
      const faults = [...ledger.faults].map(([fault, times]) => `${fault} ${times}`).join(', ');
      console.log(
        `${ledger.vendor.name}: ${ledger.calls} calls, ${ledger.taken.length} taken, ${ledger.repeats} repeats, ${ledger.forged} forged callbacks; ${faults}`,
      );
    }
    console.log(`${killed} workers killed; ${seconds} s`);
    const checks = judge(
      sent,
      settled,
      standIns.map(({ ledger }) => ledger),
    );
    for (const { name: check, faults } of checks) {
      console.log(`${faults.length === 0 ? 'ok   ' : 'FAIL '} ${check}`);
      for (const fault of faults.slice(0, shownFaults)) console.log(`      ${fault}`);
      if (faults.length > shownFaults) console.log(`      and ${faults.length - shownFaults} more`);
    }
    const failed = checks.filter(({ faults }) => faults.length > 0).length;
    console.log(`${checks.length - failed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await gateway.stop();
    await Promise.all(standIns.map((standIn) => standIn.close()));
  }
}
