/**
 * Certifies a carrier offline: sends messages through a local gateway whose carriers are doubles of the vendors, while calls
 * and reports go wrong and workers are killed, and judges by the doubles' own ledgers.
 * `npm run test:carriers -- CARRIER [--channel sms] [--spec FILE] [--messages 2000] [--seed N]`
 */
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { readVendorDescription } from '../support/carrier/vendor-description.ts';
import { topicVendors } from '../support/carrier/vendors/aws.ts';
import type { Vendor } from '../support/carrier/vendors/vendor.ts';
import { vendors } from '../support/carrier/vendors/vendors.ts';
import { recordAwsCalls } from './aws-calls.ts';
import { faultPlan } from './faults.ts';
import { keepKilling, startGateway } from './gateway.ts';
import { startGatewayWithAws } from './gateway-with-aws.ts';
import { judge } from './judge.ts';
import { callbackReporter, topicReporter } from './reporters.ts';
import { type StandIn, startStandIn } from './stand-in.ts';
import { sendAll, settledWithin, usageWithin } from './traffic.ts';

const program = new Command()
  .name('npm run test:carriers --')
  .argument(
    '<carrier>',
    `one of ${[...new Set([...topicVendors, ...vendors].map(({ name }) => name))].join(', ')}`,
  )
  .option('--channel <channel>', 'sms or whatsapp, of a carrier that has both')
  .option('--spec <file>', 'another OpenAPI description of its API, as JSON')
  .option('--messages <number>', 'how many', Number, 2000)
  .option('--seed <number>', 'a seed has the same faults again', Number, randomInt(2 ** 31))
  .parse();
const {
  channel: wanted,
  spec,
  messages: count,
  seed,
} = program.opts<{ channel?: string; spec?: string; messages: number; seed: number }>();
const [name] = program.args;

/** What nobody took, and nobody can be asked about, waits until its validity ends; workers are slow while they are killed. */
const validitySeconds = 120 + Math.round(count / 4);
const deadlineSeconds = { otp: 5, other: 10 };
const settledWithinSeconds = 900;
const countedWithinSeconds = 120;
const victims = ['DispatchMessage', 'RecordReceipt', 'CarrierCallback'];
const killEveryMs = 1000;
const shownFaults = 5;

const isWanted = (one: Vendor): boolean =>
  one.name === name && (wanted === undefined || one.channel === wanted);
const topicVendor = topicVendors.find(isWanted);
const vendor = topicVendor ?? vendors.find(isWanted);
if (vendor === undefined) program.error(`There is no vendor ${name} of this channel.`);
else if (topicVendor !== undefined && spec !== undefined)
  program.error('The calls to AWS are judged by its service models.');
else process.exit(await certify(vendor));

async function certify({ channel }: Vendor): Promise<number> {
  console.log(`${count} messages by ${channel} through ${name}, seed ${seed}`);
  const plan = faultPlan(seed);
  // The others of the channel come next, in the place to which a message may go twice.
  const inOrder = vendors
    .filter((one) => one.channel === channel)
    .toSorted((one, other) => Number(other.name === name) - Number(one.name === name));
  const called = await Promise.all(
    inOrder.map(async (one) => {
      const description = one.name === name ? (spec ?? one.description) : one.description;
      return { vendor: one, standIn: await startStandIn(one, plan, readVendorDescription(description)) };
    }),
  );
  const carriers = {
    [channel]: inOrder.map((one) => one.name),
    // `traffic.ts` sends both kinds.
    on_unknown: { otp: 'send_again', promotional: 'send_again', other: 'wait' },
    unknown_deadline_seconds: deadlineSeconds,
    ...Object.fromEntries(
      called.map((one) => [one.vendor.name, { base_url: one.standIn.url, ...one.vendor.credentials }]),
    ),
  };
  const awsCalls = recordAwsCalls();
  const aws = topicVendor && (await startStandIn(topicVendor, plan, awsCalls.description));
  const withAws = aws && (await startGatewayWithAws(carriers, channel, aws.url));
  const gateway = withAws ?? (await startGateway(carriers));
  const standIns: readonly StandIn[] = [
    ...(aws === undefined ? [] : [aws]),
    ...called.map((one) => one.standIn),
  ];
  const ledgers = standIns.map(({ ledger }) => ledger);
  try {
    for (const one of called) one.standIn.reportBy(callbackReporter(one.vendor, gateway.baseUrl));
    if (withAws !== undefined) aws?.reportBy(topicReporter(withAws.publish));
    const startedAt = Date.now();
    const stopKilling = keepKilling(gateway, victims, killEveryMs);
    const sent = await sendAll(gateway, channel, count, validitySeconds);
    const killed = await stopKilling();
    const settled = await settledWithin(gateway, count, settledWithinSeconds);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    const usage = await usageWithin(gateway, settled, countedWithinSeconds);
    for (const ledger of ledgers) {
      const faults = [...ledger.faults].map(([fault, times]) => `${fault} ${times}`).join(', ');
      console.log(
        `${ledger.vendor.name}: ${ledger.calls} calls, ${ledger.taken.length} taken, ${ledger.repeats} repeats, ${ledger.forged} forged callbacks; ${faults}`,
      );
    }
    console.log(`${killed} workers killed; ${seconds} s`);
    const checks = [...judge(sent, settled, ledgers, usage), ...(await awsCalls.check())];
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
