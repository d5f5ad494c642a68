/** Messages of people in the forms that AWS and Meta document, all members included. */
import { whatsAppEvent } from './recorded-receipts.ts';

/** AWS End User Messaging SMS: "Example of a two-way SMS message payload for Amazon SNS topics". */
export function twoWaySms(change: object = {}) {
  return {
    originationNumber: '+14255550182',
    destinationNumber: '+12125550101',
    messageKeyword: 'JOIN',
    messageBody: 'EXAMPLE',
    inboundMessageId: 'cae173d2-66b9-564c-8309-21f858e9fb84',
    previousPublishedMessageId: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    ...change,
  };
}

/** AWS End User Messaging Social: "Message and event format", around Meta's webhook of a message. */
export function inboundWhatsApp(
  messages: readonly object[],
  change: object = {},
  contacts: readonly object[] = [{ profile: { name: 'Diego' }, wa_id: '447700900123' }],
) {
  const { whatsAppWebhookEntry, ...header } = whatsAppEvent([], change);
  const entry = JSON.parse(String(whatsAppWebhookEntry)) as { changes: { value: object }[] };
  const [first] = entry.changes;
  const value = {
    ...first?.value,
    statuses: undefined,
    contacts,
    messages,
  };
  const changed = JSON.stringify({ ...entry, changes: [{ ...first, value }] });
  return { ...header, whatsAppWebhookEntry: changed };
}

/** 1795168803 is 2026-11-20T10:00:03Z. */
export function whatsAppMessage(content: object, change: object = {}) {
  return {
    from: '447700900123',
    id: 'wamid.HBgMNDQ3NzAwOTAwMTIzFQIAEhgUexample',
    timestamp: '1795168803',
    ...content,
    ...change,
  };
}

/** Each type of Meta's Cloud API, with what a client gets of it. */
export const whatsAppContents: Readonly<Record<string, { readonly message: object; readonly read: object }>> =
  {
    text: { message: { type: 'text', text: { body: 'Hi' } }, read: { text: 'Hi' } },
    image: {
      message: {
        type: 'image',
        image: {
          caption: 'The receipt',
          mime_type: 'image/jpeg',
          sha256: '29ed500fa64eb55fc19dc4124acb300e5dcca0f822a301ae99944db',
          id: '1003383421387256',
        },
      },
      read: {
        content: {
          type: 'image',
          media: { id: '1003383421387256', mime_type: 'image/jpeg', caption: 'The receipt' },
        },
      },
    },
    'voice message': {
      message: {
        type: 'audio',
        audio: { mime_type: 'audio/ogg; codecs=opus', sha256: 'abc=', id: '1003383421387257', voice: true },
      },
      read: {
        content: { type: 'audio', media: { id: '1003383421387257', mime_type: 'audio/ogg; codecs=opus' } },
      },
    },
    document: {
      message: {
        type: 'document',
        document: { filename: 'a.pdf', mime_type: 'application/pdf', sha256: 'abc=', id: '77' },
      },
      read: {
        content: { type: 'document', media: { id: '77', mime_type: 'application/pdf', filename: 'a.pdf' } },
      },
    },
    sticker: {
      message: {
        type: 'sticker',
        sticker: { mime_type: 'image/webp', sha256: 'abc=', id: '78', animated: false },
      },
      read: { content: { type: 'sticker', media: { id: '78', mime_type: 'image/webp' } } },
    },
    location: {
      message: {
        type: 'location',
        location: {
          latitude: 37.44,
          longitude: -122.16,
          name: 'Park',
          address: '1 Hacker Way',
          url: 'https://x.test',
        },
      },
      read: {
        content: {
          type: 'location',
          location: { latitude: 37.44, longitude: -122.16, name: 'Park', address: '1 Hacker Way' },
        },
      },
    },
    'reply to the button of a template': {
      message: { type: 'button', button: { text: 'Unsubscribe', payload: 'opt-out' } },
      read: { content: { type: 'button_reply', button_reply: { id: 'opt-out', title: 'Unsubscribe' } } },
    },
    'button reply': {
      message: {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      },
      read: { content: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } } },
    },
    'list reply': {
      message: {
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: 'p1', title: 'Post', description: 'Next day' } },
      },
      read: {
        content: { type: 'list_reply', list_reply: { id: 'p1', title: 'Post', description: 'Next day' } },
      },
    },
    'reply of a flow': {
      message: {
        type: 'interactive',
        interactive: {
          type: 'nfm_reply',
          nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' },
        },
      },
      read: {
        content: { type: 'flow_reply', flow_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } },
      },
    },
    reaction: {
      message: { type: 'reaction', reaction: { message_id: 'wamid.ours', emoji: '👍' } },
      read: { content: { type: 'reaction', reaction: { emoji: '👍' } }, repliesTo: 'wamid.ours' },
    },
    'reaction that was removed': {
      message: { type: 'reaction', reaction: { message_id: 'wamid.ours' } },
      read: { content: { type: 'reaction', reaction: {} }, repliesTo: 'wamid.ours' },
    },
    contacts: {
      message: {
        type: 'contacts',
        contacts: [{ name: { formatted_name: 'Barbara' }, phones: [{ phone: '+1' }] }],
      },
      read: {
        content: {
          type: 'contacts',
          contacts: [{ name: { formatted_name: 'Barbara' }, phones: [{ phone: '+1' }] }],
        },
      },
    },
    order: {
      message: { type: 'order', order: { catalog_id: '194', product_items: [] } },
      read: { content: { type: 'order', order: { catalog_id: '194', product_items: [] } } },
    },
    'message that WhatsApp does not pass on': {
      message: { type: 'unsupported', errors: [{ code: 131051, title: 'Message type unknown' }] },
      read: { content: { type: 'unsupported' } },
    },
  };
