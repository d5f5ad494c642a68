/** The judge of the kit that certifies carriers finds what a gateway does wrong, and nothing where all is right. */
import { describe, expect, it } from '@jest/globals';
import { judge } from '../../carriers/judge.ts';
import type { Ledger, Refused } from '../../carriers/stand-in.ts';
import { type OnUnknown, type Sent, type Settled, usageOf } from '../../carriers/traffic.ts';
import { infobipVendor } from '../../support/carrier/vendors/infobip.ts';
import { twilioVendor } from '../../support/carrier/vendors/twilio.ts';
import type { CallbackVendor, Taken } from '../../support/carrier/vendors/vendor.ts';

describe('the judge', () => {
  const ledgerOf = (
    vendor: CallbackVendor,
    taken: readonly Partial<Taken>[],
    { refused = [], findings = [] }: { refused?: readonly Partial<Refused>[]; findings?: string[] } = {},
  ): Ledger => ({
    vendor,
    taken: taken.map((one) => ({
      to: '+1',
      attemptId: 'm.1',
      text: 'Hello',
      vendorId: 'v',
      at: new Date(),
      price: 0.03,
      outcome: 'delivered',
      ...one,
    })),
    refused: refused.map((one) => ({ to: '+1', attemptId: 'm.1', why: 'recipient', ...one })),
    callsFor: new Map(taken.length + refused.length === 0 ? [] : [['+1', taken.length + refused.length]]),
    repeats: 0,
    calls: 0,
    forged: 0,
    faults: new Map(),
    findings,
  });
  const sent = (onUnknown: OnUnknown): Sent => ({ messageId: 'm', to: '+1', text: 'Hello', onUnknown });
  const attemptsOf = (...outcomes: readonly string[]) =>
    outcomes.map((outcome, index) => ({ carrier: index === 0 ? 'infobip' : 'twilio', outcome }));
  const delivered: Settled = {
    message_id: 'm',
    status: 'delivered',
    carrier: 'infobip',
    attempts: attemptsOf('accepted'),
    cost: 0.03,
    currency: 'EUR',
  };
  const failed = (code: string, ...outcomes: readonly string[]): Settled => ({
    ...delivered,
    status: 'failed',
    error: { code },
    attempts: attemptsOf(...outcomes),
  });
  const free = { cost: null, currency: null };
  const expired: Settled = { ...delivered, ...free, status: 'expired', attempts: attemptsOf('unknown') };
  const doubled: Settled = {
    ...delivered,
    possible_duplicate: true,
    attempts: attemptsOf('accepted', 'unknown'),
  };
  const faultyChecks = (
    one: Sent,
    states: readonly Settled[],
    ledgers: readonly Ledger[],
    counted = usageOf(states),
  ) =>
    judge([one], states, ledgers, { counted, expected: usageOf(states) })
      .filter(({ faults }) => faults.length > 0)
      .map(({ name }) => name);
  const [wait, again] = [sent('wait'), sent('send_again')];
  const once = [ledgerOf(infobipVendor, [{}]), ledgerOf(twilioVendor, [])];
  const twice = [ledgerOf(infobipVendor, [{}]), ledgerOf(twilioVendor, [{ attemptId: 'm.2' }])];
  const nobody = [ledgerOf(infobipVendor, []), ledgerOf(twilioVendor, [])];
  const unreached = [ledgerOf(infobipVendor, [{ outcome: 'unreachable' }])];
  const refusedBy = (why: Refused['why'], ...others: readonly Ledger[]) => [
    ledgerOf(infobipVendor, [], { refused: [{ why }] }),
    ...others,
  ];

  it.each([
    ['was delivered', wait, delivered, once],
    ['was sent again and delivered', again, doubled, twice],
    ['nobody took', wait, expired, nobody],
    ['could not be delivered', wait, failed('unreachable', 'accepted'), unreached],
    [
      'was refused',
      wait,
      { ...failed('invalid_recipient', 'refused'), ...free },
      refusedBy('recipient', ledgerOf(twilioVendor, [])),
    ],
    [
      'the next carrier delivered',
      wait,
      { ...delivered, carrier: 'twilio', attempts: attemptsOf('refused', 'accepted') },
      refusedBy('account', ledgerOf(twilioVendor, [{ attemptId: 'm.2' }])),
    ],
  ] as const)('finds nothing wrong with a message that %s', (_title, one, state, ledgers) => {
    expect(faultyChecks(one, [state], ledgers)).toEqual([]);
  });

  it.each([
    ['a message that waits goes to two carriers', wait, [doubled], twice],
    ['a message that waits goes twice to one', wait, [delivered], [ledgerOf(infobipVendor, [{}, {}])]],
    ['a second copy is not declared', again, [{ ...doubled, possible_duplicate: false }], twice],
    ['a message never ends', wait, [{ ...delivered, status: 'sent' }], once],
    ['a message is missing', wait, [], once],
    ['a message that was taken counts as failed', wait, [failed('unreachable', 'accepted')], once],
    ['a message is delivered by nobody', wait, [delivered], nobody],
    ['a failure is shown as delivered', wait, [delivered], unreached],
    ['a failure has no reason', wait, [failed('unknown', 'accepted')], unreached],
    ['a failure is left open', wait, [{ ...expired, cost: 0.03, currency: 'EUR' }], unreached],
    ['a known end counts as unknown', wait, [{ ...expired, attempts: attemptsOf('refused') }], nobody],
    [
      'a refused message goes to the next carrier',
      wait,
      [{ ...delivered, carrier: 'twilio', attempts: attemptsOf('refused', 'accepted') }],
      refusedBy('recipient', ledgerOf(twilioVendor, [{ attemptId: 'm.2' }])),
    ],
    [
      'a refusal has another reason',
      wait,
      [{ ...failed('unknown', 'refused'), ...free }],
      refusedBy('recipient'),
    ],
    [
      'the next carrier is left out',
      wait,
      [{ ...failed('spend_limit_reached', 'refused'), ...free }],
      refusedBy('account', ledgerOf(twilioVendor, [])),
    ],
    ['a refusal was none', wait, [{ ...failed('invalid_recipient', 'refused'), ...free }], nobody],
    ['the cost is another', wait, [{ ...delivered, cost: 0.04 }], once],
    ['the currency is another', wait, [{ ...delivered, currency: 'USD' }], once],
    ['what nobody took has a cost', wait, [{ ...expired, cost: 0.03, currency: 'EUR' }], nobody],
    ['another carrier is named', wait, [{ ...delivered, carrier: 'twilio' }], once],
    ['the text is another one', wait, [delivered], [ledgerOf(infobipVendor, [{ text: 'Bye' }])]],
    ['a request is refused', wait, [delivered], [ledgerOf(infobipVendor, [{}], { findings: ['POST: no'] })]],
  ] as const)('finds that %s', (_title, one, states, ledgers) => {
    expect(faultyChecks(one, states, ledgers)).not.toEqual([]);
  });

  it('takes the currencies of usage in any order', () => {
    const [one, other] = [delivered, { ...delivered, currency: 'USD' }].map(
      (state) => usageOf([state]).costs,
    );
    const [expected, counted] = [
      { ...usageOf([delivered]), costs: { ...one, ...other } },
      { ...usageOf([delivered]), costs: { ...other, ...one } },
    ];
    const wrong = judge([wait], [delivered], once, { counted, expected }).filter(
      ({ faults }) => faults.length > 0,
    );
    expect(wrong).toEqual([]);
  });

  it('finds that usage has another cost', () => {
    const counted = { ...usageOf([delivered]), costs: { EUR: 60_000 } };
    expect(faultyChecks(wait, [delivered], once, counted)).toHaveLength(1);
  });
});
