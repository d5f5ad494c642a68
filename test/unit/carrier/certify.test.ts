/** The kit that certifies carriers finds what a gateway does wrong, and its doubles lose and double what was planned. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { callFaults, type FaultPlan, faultPlan, reportFaults } from '../../carriers/faults.ts';
import { judge } from '../../carriers/judge.ts';
import { type Ledger, type StandIn, startStandIn } from '../../carriers/stand-in.ts';
import type { OnUnknown, Sent, Settled } from '../../carriers/traffic.ts';
import { infobipVendor } from '../../support/carrier/vendors/infobip.ts';
import { metaVendor } from '../../support/carrier/vendors/meta.ts';
import type { Taken, Vendor } from '../../support/carrier/vendors/vendor.ts';

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

  it('has each fault in its share of a fifth of the calls, and of the reports', () => {
    const calls = sharesOf(recipients.map((recipient) => plan.ofCall('infobip', recipient, 1)));
    expect(calls.all).toBeCloseTo(0.2, 1);
    for (const fault of callFaults) expect(calls.count(fault)).toBeGreaterThan(0.02);
    const reports = sharesOf(recipients.map((recipient) => plan.ofReports('infobip', recipient)));
    expect(reports.all).toBeCloseTo(0.2, 1);
    for (const fault of reportFaults) expect(reports.count(fault)).toBeGreaterThan(0.04);
  });

  it('is the same for the same seed, and another for another', () => {
    const faults = (seed: number) =>
      recipients.map((recipient) => faultPlan(seed).ofCall('meta', recipient, 1));
    expect(faults(5)).toEqual(faults(5));
    expect(faults(5)).not.toEqual(faults(6));
  });
});

describe('the double', () => {
  const none: FaultPlan = { ofCall: () => undefined, ofReports: () => undefined };

  /** A gateway that takes the callbacks that it gets. */
  async function doubled(
    vendor: Vendor,
    plan: Partial<FaultPlan>,
    status = 200,
  ): Promise<StandIn & { callbacks: string[] }> {
    const callbacks: string[] = [];
    const gateway = createServer((incoming, outgoing) => {
      incoming.resume().once('end', () => {
        callbacks.push(incoming.url ?? '');
        outgoing.writeHead(status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const standIn = await startStandIn(vendor, { ...none, ...plan });
    standIn.reportTo(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`);
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

describe('the judge', () => {
  const ledgerOf = (vendor: Vendor, taken: readonly Partial<Taken>[], findings: string[] = []): Ledger => ({
    vendor,
    taken: taken.map((one) => ({
      to: '+1',
      attemptId: 'm.1',
      text: 'Hello',
      vendorId: 'v',
      at: new Date(),
      ...one,
    })),
    repeats: 0,
    calls: 0,
    forged: 0,
    faults: new Map(),
    findings,
  });
  const sent = (onUnknown: OnUnknown): Sent => ({ messageId: 'm', to: '+1', text: 'Hello', onUnknown });
  const delivered: Settled = { message_id: 'm', status: 'delivered', carrier: 'infobip' };
  const faultyChecks = (one: Sent, states: readonly Settled[], ledgers: readonly Ledger[]) =>
    judge([one], states, ledgers).filter(({ faults }) => faults.length > 0).length;
  const once = [ledgerOf(infobipVendor, [{}]), ledgerOf(metaVendor, [])];
  const twice = [ledgerOf(infobipVendor, [{}]), ledgerOf(metaVendor, [{}])];

  it('finds nothing where all is right', () => {
    expect(faultyChecks(sent('wait'), [delivered], once)).toBe(0);
    expect(faultyChecks(sent('send_again'), [{ ...delivered, possible_duplicate: true }], twice)).toBe(0);
    const nobody = [ledgerOf(infobipVendor, [])];
    expect(faultyChecks(sent('wait'), [{ ...delivered, status: 'expired' }], nobody)).toBe(0);
  });

  it.each([
    ['a message that waits goes to two carriers', sent('wait'), [delivered], twice],
    [
      'a message that shall fail goes twice to one',
      sent('fail'),
      [delivered],
      [ledgerOf(infobipVendor, [{}, {}])],
    ],
    ['a second copy is not declared', sent('send_again'), [delivered], twice],
    ['a message never ends', sent('wait'), [{ ...delivered, status: 'sent' }], once],
    ['a message is missing', sent('wait'), [], once],
    ['a message that was taken counts as failed', sent('wait'), [{ ...delivered, status: 'failed' }], once],
    ['a message is delivered by nobody', sent('wait'), [delivered], [ledgerOf(infobipVendor, [])]],
    ['another carrier is named', sent('wait'), [{ ...delivered, carrier: 'meta' }], once],
    ['the text is another one', sent('wait'), [delivered], [ledgerOf(infobipVendor, [{ text: 'Bye' }])]],
    ['a request is refused', sent('wait'), [delivered], [ledgerOf(infobipVendor, [{}], ['POST: no'])]],
  ] as const)('finds that %s', (_title, one, states, ledgers) => {
    expect(faultyChecks(one, states, ledgers)).toBeGreaterThan(0);
  });
});
