/** What Meta would refuse is refused at the request. */
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { sendWhatsAppSchema } from '../../../shared/message/send/whatsapp-send.ts';
import { storedWhatsAppContent } from '../../../shared/message/whatsapp-content.ts';

const url = 'https://example.com/a';
const schema = sendWhatsAppSchema(z.string());

/** A request with this content. */
function parsed(content: object) {
  const text = 'type' in content && content.type === 'text' ? { message: 'Hello' } : {};
  return schema.safeParse({ to: '+447700900123', ...text, ...content });
}

/** The content that is accepted from it. */
function accepted(content: object) {
  const { data } = parsed(content);
  if (data === undefined) throw new Error('refused');
  switch (data.type) {
    case 'text':
      return { type: data.type };
    case 'template':
      return { type: data.type, template: data.template };
    case 'location':
      return { type: data.type, location: data.location };
    default:
      return { type: data.type, media: data.media };
  }
}

function template(parameters: object) {
  return { type: 'template', template: { name: 'order_shipped', language: 'en_GB', parameters } };
}

describe('content that is accepted', () => {
  it.each([
    [{ type: 'text' }],
    [{ type: 'template', template: { name: 'hello', language: 'en_GB' } }],
    [template({ body: ['1', '2'] })],
    [template({ body: { name: 'Ann' } })],
    [template({ header: 'Hi', buttons: [{ type: 'quick_reply', value: 'STOP', index: 1 }] })],
    [template({ header: { sale_start: 'Monday' } })],
    [template({ header: { type: 'document', media: { id: '7', filename: 'a.pdf' } } })],
    [template({ body: [], buttons: [] })],
    [template({ header: { type: 'image', media: { url } } })],
    [{ type: 'image', media: { url, caption: 'A' } }],
    [{ type: 'document', media: { id: '7', filename: 'a.pdf', caption: 'A' } }],
    [{ type: 'audio', media: { id: '7' } }],
    [{ type: 'location', location: { latitude: 51.5, longitude: -0.1, name: 'Here' } }],
  ])('%j, as it is', (content) => {
    expect(accepted(content)).toEqual(content);
  });
});

describe('content in the short form', () => {
  it('has its buttons expanded to type and position, and a header in a list to its text', () => {
    const parameters = { header: ['Hi'], buttons: ['42', { type: 'quick_reply', value: 'STOP' }] };
    expect(accepted(template(parameters))).toEqual(
      template({
        header: 'Hi',
        buttons: [
          { type: 'url', value: '42', index: 0 },
          { type: 'quick_reply', value: 'STOP', index: 1 },
        ],
      }),
    );
  });

  it('has each button that names no place at its own, or at the first free one', () => {
    const quickReply = { type: 'quick_reply', value: 'STOP' };
    const placesOf = (buttons: readonly unknown[]) => {
      const { template: taken } = accepted(template({ buttons }));
      return taken?.parameters?.buttons?.map(({ index }) => index);
    };
    expect(placesOf(['a', { ...quickReply, index: 3 }, quickReply])).toEqual([0, 3, 2]);
    expect(placesOf(['a', { ...quickReply, index: 0 }, 'c'])).toEqual([1, 0, 2]);
    const [first, ...others] = Array.from({ length: 10 }, (_, index) => ({ ...quickReply, index }));
    expect(placesOf([...others, first, quickReply].slice(1))).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 0, 1]);
  });

  it('treats null as absent in every optional field', () => {
    const nulls = { caption: null, filename: null };
    expect(accepted({ type: 'document', media: { url, id: null, ...nulls } })).toEqual({
      type: 'document',
      media: { url },
    });
    const place = { latitude: 1, longitude: 2 };
    const named = { ...place, name: null, address: null };
    expect(accepted({ type: 'location', location: named })).toEqual({
      type: 'location',
      location: place,
    });
    const button = { type: 'url', value: '42', index: null };
    const given = { header: null, body: null, buttons: [button] };
    expect(accepted(template(given))).toEqual(
      template({ buttons: [{ type: 'url', value: '42', index: 0 }] }),
    );
    const bare = { name: 'a', language: 'en' };
    expect(accepted({ type: 'template', template: { ...bare, parameters: null } })).toEqual({
      type: 'template',
      template: bare,
    });
  });
});

describe('a row', () => {
  it.each([
    [template({ header: {} })],
    [template({ header: { type: 'image' } })],
    [template({ header: ['a', 'b'] })],
    [template({ body: ['two\nlines'] })],
    [template({ buttons: ['a', 'b'].map((value) => ({ type: 'url', value, index: 0 })) })],
  ])('with %j can be read, and a request with it is refused', (content) => {
    expect(storedWhatsAppContent().safeParse(content).success).toBe(true);
    expect(parsed(content).success).toBe(false);
  });
});

describe('a location', () => {
  it.each([
    [1.4e-45, 0],
    [-7.330812677405976e-184, 0],
    [51.503_312_345_678_9, 51.503312346],
    [-90, -90],
  ])('at %d degrees is kept to a tenth of a millimetre, as a number that a row can hold', (given, kept) => {
    const location = { latitude: given, longitude: given };
    const { location: taken } = accepted({ type: 'location', location });
    expect(taken?.latitude).toBeCloseTo(kept, 12);
    expect(taken?.longitude).toBe(taken?.latitude);
    expect(accepted({ type: 'location', location: taken })).toMatchObject({ location: taken });
  });
});

describe('content that is refused, with the field at fault', () => {
  it.each([
    [{ type: 'fax' }, 'type'],
    [{ type: 'image', media: {} }, 'media.url'],
    [{ type: 'image', media: { url, id: '7' } }, 'media.url'],
    [{ type: 'image', media: { url: 'ftp://example.com/a' } }, 'media.url'],
    [{ type: 'image', media: { url, filename: 'a.png' } }, 'media.filename'],
    [{ type: 'sticker', media: { id: '7', caption: 'A' } }, 'media.caption'],
    [{ type: 'template', template: { language: 'en' } }, 'template.name'],
    [{ type: 'template', template: { name: 'a', language: 'English' } }, 'template.language'],
    [template({ body: [''] }), 'template.parameters.body.0'],
    ...[
      {},
      [],
      '',
      7,
      { type: 'image' },
      { type: 'image', image: { link: url } },
      { type: 'location', media: { url } },
      { type: 'text', text: 'A' },
      { media: { url } },
      { media: 'a' },
      { a: 'A', b: 'B' },
      ['A', 'B'],
      'two\nlines',
    ].map((header): [object, string] => [template({ header }), 'template.parameters.header']),
    ...[{}, { url, id: '7' }, { caption: 'A' }].map((media): [object, string] => [
      template({ header: { type: 'image', media } }),
      'template.parameters.header.media.url',
    ]),
    [template({ body: ['two\nlines'] }), 'template.parameters.body.0'],
    [template({ body: ['a\ttab'] }), 'template.parameters.body.0'],
    [template({ body: { name: 'five     spaces' } }), 'template.parameters.body.name'],
    [template({ buttons: [{ type: 'url' }] }), 'template.parameters.buttons.0'],
    [template({ buttons: [{ type: 'phone', value: '1' }] }), 'template.parameters.buttons.0'],
    [template({ buttons: [''] }), 'template.parameters.buttons.0'],
    [template({ buttons: ['a\tb'] }), 'template.parameters.buttons.0'],
    [template({ buttons: [{ type: 'url', value: 'a\nb' }] }), 'template.parameters.buttons.0.value'],
    [
      template({ buttons: ['a', 'b'].map((value) => ({ type: 'url', value, index: 0 })) }),
      'template.parameters.buttons',
    ],
    [
      template({ buttons: ['A', 'B'].map((value) => ({ type: 'copy_code', value })) }),
      'template.parameters.buttons',
    ],
    [{ type: 'location', location: { latitude: 0, longitude: -180.1 } }, 'location.longitude'],
    [{ type: 'sticker', media: {} }, 'media.url'],
    [{ type: 'document', media: { filename: 'a.pdf' } }, 'media.url'],
    [{ type: 'location', location: { latitude: 91, longitude: 0 } }, 'location.latitude'],
  ])('%j: %s', (content, field) => {
    expect(parsed(content).error?.issues.map((issue) => issue.path.join('.'))).toEqual([field]);
  });
});
