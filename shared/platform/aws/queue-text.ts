/** Makes texts acceptable to SQS and EventBridge Scheduler: message bodies, message groups and schedule names. */
import { createHash } from 'node:crypto';

/**
 * SQS accepts #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF. `JSON.stringify` escapes control
 * characters and lone surrogates, so U+FFFE and U+FFFF are left.
 */
const notAccepted = /[^\t\n\r\u0020-\uFFFD]/g;

/** The same JSON document, with every character that SQS refuses written as an escape: it parses to the same value. */
export function queueText(json: string): string {
  return json.replace(
    notAccepted,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The message group of a client. SQS takes up to 128 visible ASCII characters; any other id is represented by its hash. */
export function messageGroupOf(clientId: string): string {
  return /^[!-~]{1,128}$/.test(clientId) ? clientId : hashOf(clientId);
}

/** A schedule's name. EventBridge Scheduler takes 64 characters of a small set; any other name is represented by its hash. */
export function scheduleNameOf(name: string): string {
  return /^[0-9a-zA-Z._-]{1,64}$/.test(name) ? name : hashOf(name);
}

function hashOf(text: string): string {
  // By code units: in UTF-8 all lone surrogates are the same.
  return createHash('sha256').update(text, 'utf16le').digest('hex');
}
