import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EditedRow } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { selectSender } from '../../../shared/sender/select-sender.ts';
import { senderFeedback } from '../../../shared/sender/sender-feedback.ts';
import type { Holders } from '../../../shared/sender/sender-row.ts';
import { type Paces, pacesIn, parseSenderRow } from '../../../shared/sender/sender-row.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { runs } from '../../fuzz/runs.ts';
import { oneCarrierEach } from '../../support/doubles/no-senders.ts';

const now = new Date('2026-11-20T12:00:05.321Z');
const right = { client_id: 'client_1', destination: 'sms GB', identity: 'ACME' };

const carriers = { sms: ['aws', 'twilio'], whatsapp: ['aws', 'meta'] };

const feedback = (
  row: EditedRow,
  clientExists = true,
  claims: Holders = new Map(),
  paces: Paces = new Map(),
) => senderFeedback(row, { now, clientExists, claims, paces, carriers });

describe('the feedback for a right row', () => {
  it.each<[string, EditedRow, string]>([
    ['a sender ID', right, 'SMS to GB are sent from ACME.'],
    [
      'a number, with a pace',
      { ...right, identity: '+44 7700 900123', messages_per_second: '2.5' },
      'SMS to GB are sent from +447700900123, at most 2.5 a second.',
    ],
    [
      'every country, for every client',
      { ...right, client_id: '*', destination: 'sms *' },
      'SMS to every country are sent from ACME. A row of a client or for one country comes first. It is not used for US and CA, where sender IDs are not accepted.',
    ],
    [
      'the ids of India',
      { ...right, destination: 'sms IN', entity_id: '1101456789012345678', template_id: '1107' },
      'SMS to IN are sent from ACME. SMS to India has the entity 1101456789012345678 and the template 1107.',
    ],
    [
      'a number that receives',
      { ...right, identity: '+447700900123', inbound: true },
      'SMS to GB are sent from +447700900123. Messages to +447700900123 belong to this client.',
    ],
    [
      'WhatsApp',
      { ...right, destination: 'whatsapp *', identity: 'phone-number-id-0123' },
      'WhatsApp messages to every country are sent from phone-number-id-0123. A row of this client for one country comes first.',
    ],
    [
      'a carrier that is not the first',
      { ...right, destination: 'sms GB twilio', identity: `MG${'0'.repeat(32)}` },
      `SMS to GB are sent by twilio from MG${'0'.repeat(32)}.`,
    ],
    [
      'a number of Meta',
      { ...right, destination: 'whatsapp GB meta', identity: '106540352242922' },
      'WhatsApp messages to GB are sent by meta from 106540352242922.',
    ],
  ])('says what is sent from it: %s', (_what, row, effect) => {
    expect(feedback(row)).toEqual({ status: 'active', status_message: `Active since 12:00:05: ${effect}` });
  });

  it.each(['pool-0123456789abcdef0123456789abcdef', 'phone-0123456789abcdef', '12345', 'ACME-Shop'])(
    'accepts what AWS takes as an origination identity: %s',
    (identity) => {
      expect(feedback({ ...right, identity }).status).toBe('active');
    },
  );

  it.each([
    [undefined, 'at most 2 a second, which is its pace in another row'],
    [5, 'at most 2 a second, which is its pace in another row'],
    [2, 'at most 2 a second'],
  ])('names the lowest pace of the sender, also where that is of another row (own: %s)', (own, rate) => {
    const row = { ...right, ...(own === undefined ? {} : { messages_per_second: own }) };
    const other = { client_id: '*', destination: 'sms FR', identity: 'acme', messages_per_second: 2 };
    const paces = pacesIn([row, other].map(parseSenderRow));
    expect(feedback(row, true, new Map(), paces).status_message).toBe(
      `Active since 12:00:05: SMS to GB are sent from ACME, ${rate}.`,
    );
  });

  it('keeps its time while nothing changes', () => {
    const first = feedback(right);
    const later = new Date('2026-11-20T13:00:00.000Z');
    expect(
      senderFeedback(
        { ...right, ...first },
        { now: later, clientExists: true, claims: new Map(), paces: new Map(), carriers },
      ),
    ).toEqual(first);
  });
});

const mistakes: [string, EditedRow, RegExp][] = [
  ['no identity', { identity: undefined }, /^identity: it is missing\. Write a phone number/],
  ['an empty identity', { identity: '' }, /^identity: "" is not a sender/],
  ['a number without a plus', { identity: '447700900123' }, /^identity: "447700900123" is not a sender/],
  ['a national number', { identity: '07700900123' }, /^identity: "07700900123" is not a sender/],
  ['the type number', { identity: 447700900123 }, /^identity: 447700900123 is a number, not a text/],
  ['a list', { identity: ['ACME'] }, /^identity: \["ACME"\] is not a text/],
  ['a long name', { identity: 'ACME Deliveries' }, /^identity: "ACME Deliveries" is not a sender/],
  [
    'an ARN',
    { identity: 'arn:aws:sms-voice:eu-west-1:123456789012:pool/pool-1' },
    /^identity: .* is not a sender/,
  ],
  ['a name for the US', { destination: 'sms US' }, /^identity: sender IDs are not accepted in US/],
  ['another country code', { destination: 'sms UK' }, /^destination: .*"UK"\. Write "sms GB"\./],
  ['lower case', { destination: 'sms gb' }, /^destination: .*Write "sms GB"\./],
  ['no country', { destination: 'sms XX' }, /^destination: there is no country "XX"/],
  ['only a country', { destination: 'GB' }, /^destination: "GB" is not a destination\. Write "sms GB"\./],
  ['a hash', { destination: 'sms#GB' }, /^destination: "sms#GB" is not .* Write "sms GB"\./],
  ['capitals', { destination: 'SMS *' }, /^destination: "SMS \*" is not .* Write "sms \*"\./],
  [
    'another channel',
    { destination: 'fax GB' },
    /^destination: "fax GB" is not a destination\. Write the channel/,
  ],
  [
    'another carrier',
    { destination: 'sms GB twillio' },
    /^destination: twillio is not among the carriers of the stage for SMS: they are aws, twilio\./,
  ],
  ['a carrier as an attribute', { carrier: 'twilio' }, /^carrier: the carrier belongs into the destination/],
  ['a pace of zero', { messages_per_second: 0 }, /^messages_per_second: 0 is not a valid pace/],
  ['a negative pace', { messages_per_second: -5 }, /^messages_per_second: -5 is not a valid pace/],
  ['a word as pace', { messages_per_second: 'fast' }, /^messages_per_second: "fast" is not a valid pace/],
  ['a separator', { messages_per_second: '1,000' }, /^messages_per_second: .* without separators/],
  ['a pace too high', { messages_per_second: 20_000 }, /^messages_per_second: 20000 is not/],
  ['half of the ids', { entity_id: '1101' }, /^template_id: it is missing\. India requires both/],
  ['the other half', { template_id: '1101' }, /^entity_id: it is missing\. India requires both/],
  [
    'an id as a number',
    { entity_id: 1.1014567890123457e18, template_id: '1' },
    /^entity_id: \d+ is a number and may be rounded\. Write it as a text\./,
  ],
  ['an id with a space', { entity_id: '11 01', template_id: '1' }, /^entity_id: "11 01" is not an id/],
  ['inbound as a word', { inbound: 'yes' }, /^inbound: "yes" is neither true nor false/],
  ['a name that receives', { inbound: true }, /^inbound: only a phone number receives messages/],
  ['inbound for all', { client_id: '*', inbound: true }, /^inbound: a number belongs to one client/],
  [
    'a number for WhatsApp',
    { destination: 'whatsapp *', identity: '+447700900123' },
    /^identity: "\+447700900123" is not a sender\. Write the id of the phone number/,
  ],
];

describe('a mistake in a row', () => {
  it.each(mistakes)('is reported, and the row is not used: %s', (_what, change, message) => {
    const row = { ...right, ...change };
    const { status, status_message } = feedback(row);
    expect(status).toBe('invalid');
    expect(status_message).toMatch(message);
    expect(status_message).toMatch(
      /The row is not used until this is corrected; the next row in order is\.$/,
    );
    const rows = [row, { client_id: '*', destination: 'sms *', identity: '+447700900999' }];
    for (const country of ['GB', 'US']) {
      const selected = selectSender(rows.map(parseSenderRow), { channel: 'sms', country }, oneCarrierEach);
      expect(selected).toEqual({ sender: { identity: '+447700900999', carrier: 'aws' } });
    }
  });

  it('in its client is reported', () => {
    expect(feedback(right, false)).toMatchObject({
      status: 'invalid',
      status_message: expect.stringMatching(
        /^client_id: there is no client "client_1"\. The row is not used/,
      ),
    });
  });

  it('in the name of an attribute is reported, and the rest applies', () => {
    expect(feedback({ ...right, message_per_second: 5, colour: 'red' })).toEqual({
      status: 'invalid',
      status_message:
        'message_per_second: there is no such attribute. Did you mean messages_per_second? The rest of the row applies since 12:00:05: SMS to GB are sent from ACME.',
    });
  });

  it('a number that two clients claim is reported', () => {
    const row = { ...right, identity: '+447700900123', inbound: true };
    const claims = new Map([['sms +447700900123', new Set(['client_1', 'client_2'])]]);
    expect(feedback(row, true, claims).status_message).toMatch(
      /^inbound: "client_2" claims this number too, so it belongs to nobody\. .* SMS to GB are sent from/,
    );
  });
});

it('whatever is typed into a row, the feedback says what the sends do', () => {
  const junk = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('ACME', '+447700900123', 5, '5', true, 'true', Number.NaN, 1e300, new Set(['a'])),
  );
  const row = fc.record(
    {
      client_id: fc.constantFrom('*', 'client_1'),
      destination: fc.oneof(fc.constantFrom('sms GB', 'sms *', 'whatsapp *', 'sms US'), fc.string()),
      identity: junk,
      messages_per_second: junk,
      entity_id: junk,
      template_id: junk,
      inbound: junk,
      note: junk,
    },
    { requiredKeys: ['client_id', 'destination'] },
  );
  fc.assert(
    fc.property(row, (typed) => {
      const { status, status_message } = feedback(typed);
      const parsed = parseSenderRow(typed);
      const used = ['GB', 'US', 'FR']
        .flatMap((country) => (['sms', 'whatsapp'] as const).map((channel) => ({ channel, country })))
        .some((to) => selectSender([parsed], to, oneCarrierEach).sender !== undefined);
      expect(used).toBe(status === 'active');
      if (!used) expect(status_message).toMatch(/not used/);
    }),
    runs,
  );
});
