/** What Meta would refuse is refused at the request. */
import { describe, expect, it } from '@jest/globals';
import { whatsAppContent } from '../../shared/message/whatsapp-content.ts';

const url = 'https://example.com/a';

function template(parameters: object) {
  return { type: 'template', template: { name: 'order_shipped', language: 'en_GB', parameters } };
}

describe('content that is taken', () => {
  it.each([
    [{ type: 'text' }],
    [{ type: 'template', template: { name: 'hello', language: 'en_GB' } }],
    [template({ body: ['1', '2'] })],
    [template({ body: { name: 'Ann' } })],
    [template({ header: 'Hi', buttons: ['42', { type: 'quick_reply', value: 'STOP', index: 1 }] })],
    [template({ header: { type: 'image', media: { url } } })],
    [{ type: 'image', media: { url, caption: 'A' } }],
    [{ type: 'document', media: { id: '7', filename: 'a.pdf', caption: 'A' } }],
    [{ type: 'audio', media: { id: '7' } }],
    [{ type: 'location', location: { latitude: 51.5, longitude: -0.1, name: 'Here' } }],
  ])('%j, as it is', (content) => {
    expect(whatsAppContent().parse(content)).toEqual(content);
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
    const { location: taken } = whatsAppContent().parse({ type: 'location', location }) as {
      location: { latitude: number; longitude: number };
    };
    expect(taken.latitude).toBeCloseTo(kept, 12);
    expect(taken.longitude).toBe(taken.latitude);
    expect(whatsAppContent().parse({ type: 'location', location: taken })).toMatchObject({ location: taken });
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
    [{ type: 'location', location: { latitude: 91, longitude: 0 } }, 'location.latitude'],
  ])('%j: %s', (content, field) => {
    const parsed = whatsAppContent().safeParse(content);
    expect(parsed.error?.issues.map((issue) => issue.path.join('.'))).toEqual([field]);
  });
});
