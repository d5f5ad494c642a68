/** The kit that certifies carriers plans its faults by a seed, and its doubles lose and double what was planned. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  callFaults,
  type FaultPlan,
  faultPlan,
  messageFates,
  noFaults,
  reportFaults,
} from '../../carriers/faults.ts';
import { callbackReporter } from '../../carriers/reporters.ts';
import { type StandIn, startStandIn } from '../../carriers/stand-in.ts';
import { readVendorDescription } from '../../support/carrier/vendor-description.ts';
import { infobipVendor } from '../../support/carrier/vendors/infobip.ts';
import type { CallbackVendor } from '../../support/carrier/vendors/vendor.ts';
import { startServer } from '../../support/http/local-server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Jest's own limit ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

describe('the plan', () => {
  const plan = faultPlan(1);
  const recipients = Array.from({ length: 3000 }, (_, index) => `+44795${index}`);
  const sharesOf = (faults: readonly (string | undefined)[]) => {
    const count = (fault: string) => faults.filter((one) => one === fault).length / faults.length;
    return { all: faults.filter((one) => one !== undefined).length / faults.length, count };
  };

  it('has each fault in its share of the calls, of the reports and of the messages', () => {
    const calls = sharesOf(recipients.map((recipient) => plan.ofCall('infobip', recipient, 1)));
    expect(calls.all).toBeCloseTo(0.2, 1);
    for (const fault of callFaults) expect(calls.count(fault)).toBeGreaterThan(0.02);
    const reports = sharesOf(recipients.map((recipient) => plan.ofReports('infobip', recipient)));
    expect(reports.all).toBeCloseTo(0.2, 1);
    for (const fault of reportFaults) expect(reports.count(fault)).toBeGreaterThan(0.04);
    const messages = sharesOf(recipients.map((recipient) => plan.ofMessage('infobip', recipient)));
    for (const fate of messageFates) expect(messages.count(fate)).toBeGreaterThan(0.03);
  });

  it('is the same for the same seed, and another for another', () => {
    const faults = (seed: number) =>
      recipients.map((recipient) => faultPlan(seed).ofCall('meta', recipient, 1));
    expect(faults(5)).toEqual(faults(5));
    expect(faults(5)).not.toEqual(faults(6));
  });
});

describe('the double', () => {
  /** A gateway that takes the callbacks that it gets. */
  async function doubled(
    vendor: CallbackVendor,
    plan: Partial<FaultPlan>,
    status = 200,
  ): Promise<StandIn & { callbacks: string[] }> {
    const callbacks: string[] = [];
    const gateway = await startServer((incoming, outgoing) => {
      incoming.resume().once('end', () => {
        callbacks.push(incoming.url ?? '');
        outgoing.writeHead(status).end();
      });
    });
    const description = readVendorDescription(vendor.description);
    const standIn = await startStandIn(vendor, { ...noFaults, ...plan }, description);
    standIn.reportBy(callbackReporter(vendor, gateway.url));
    closing.push(
      () => standIn.close(),
      () => gateway.close(),
    );
    return { ...standIn, callbacks };
  }

  const send = (url: string, change: object = {}, key = infobipVendor.credentials.api_key) =>
    fetch(`${url}/sms/3/messages`, {
      method: 'POST',
      headers: { authorization: `App ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [
          {
            sender: 'ACME',
            destinations: [{ to: '447700900123', messageId: 'msg_1.1' }],
            content: { text: 'Hello' },
            ...change,
          },
        ],
      }),
    });

  it('takes a message, recognizes its repeat, and reports twice, after a stranger did', async () => {
    const double = await doubled(infobipVendor, {});
    expect([(await send(double.url)).status, (await send(double.url)).status]).toEqual([200, 200]);
    expect(double.ledger).toMatchObject({ calls: 2, repeats: 1 });
    expect(double.ledger.taken).toMatchObject([{ to: '+447700900123', attemptId: 'msg_1.1' }]);
    // The first is a stranger's.
    await until(() => double.callbacks.length === 3);
    expect(new Set(double.callbacks)).toEqual(new Set(['/carriers/infobip/reports']));
  });

  it('answers 422 to what the description refuses, takes nothing, and tells the judge', async () => {
    const double = await doubled(infobipVendor, {});
    const plus = { destinations: [{ to: '+447700900123', messageId: 'msg_1.1' }] };
    expect((await send(double.url, plus)).status).toBe(422);
    expect(double.ledger.taken).toEqual([]);
    expect(double.ledger.findings).toHaveLength(1);
  });

  it('refuses wrong credentials', async () => {
    const double = await doubled(infobipVendor, {});
    expect((await send(double.url, {}, 'another')).status).toBe(401);
    expect(double.ledger.taken).toEqual([]);
  });

  it.each([
    ['lost_request', 'broken', 0],
    ['lost_response', 'broken', 1],
    ['502_before', 502, 0],
    ['502_after', 502, 1],
    ['throttled', 429, 0],
  ] as const)('plays %s', async (fault, answer, taken) => {
    const double = await doubled(infobipVendor, { ofCall: () => fault });
    const answered = await send(double.url).then(
      ({ status }) => status,
      () => 'broken',
    );
    expect(answered).toBe(answer);
    expect(double.ledger.taken).toHaveLength(taken);
    expect(double.ledger.faults.get(fault)).toBe(1);
  });

  it('plays reports before the response, and doubled', async () => {
    const before = await doubled(infobipVendor, { ofReports: () => 'before_response' });
    await send(before.url);
    expect(before.callbacks).toHaveLength(3);
    const twice = await doubled(infobipVendor, { ofReports: () => 'doubled' });
    await send(twice.url);
    await until(() => twice.callbacks.length === 5);
  });

  it('refuses what is to be refused, and takes nothing', async () => {
    const double = await doubled(infobipVendor, { ofMessage: () => 'refused_recipient' });
    expect(await (await send(double.url)).text()).toContain('REJECTED_DESTINATION');
    expect(double.ledger).toMatchObject({ taken: [], refused: [{ attemptId: 'msg_1.1', why: 'recipient' }] });
  });

  it('takes what it will not deliver', async () => {
    const double = await doubled(infobipVendor, { ofMessage: () => 'unreachable' });
    await send(double.url);
    expect(double.ledger).toMatchObject({ refused: [], taken: [{ outcome: 'unreachable' }] });
  });

  it('tells the judge of an altered callback that is taken', async () => {
    const double = await doubled(infobipVendor, { ofReports: () => 'before_response' });
    await send(double.url);
    expect(double.ledger).toMatchObject({ forged: 1, findings: [expect.stringContaining('altered')] });
  });

  it('tells the judge of a callback that is refused', async () => {
    const double = await doubled(infobipVendor, { ofReports: () => 'before_response' }, 403);
    await send(double.url);
    expect(double.ledger.findings).toHaveLength(2);
  });
});
